"""Right, in another form: one long question, a passphrase with spaces, and the address inside a sentence with marks."""

from solution import ask, link, say, sign_in

secret = "nine tulips by the canal!"
headers = sign_in()
say(headers, "Hi Mara! Quillstone should read the contract. Is a link with a password and a last day fine with you?")
ask(headers)
address = link(password=secret, expireDate="2026-03-23", name="Telephone contract, for Quillstone Legal to read")
say(headers, f"The address for Quillstone is [this one]({address}); the password follows in a message of its own.")
say(headers, f"Password: `{secret}`.")
