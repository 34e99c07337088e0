"""The policy on sharing with this variant's days and signs, over the world's own."""

POLICY = "drive/files/Company/Policies/sharing-documents.md"
SAID = "at most 14 days after", "at least 12 signs"


def build(values, made, world):
    key = values["key"]
    told = f"at most {key['days']} days after", f"at least {key['signs']} signs"
    if told == SAID:
        return
    text = (world / POLICY).read_text("utf-8")
    for old, new in zip(SAID, told, strict=True):
        if old not in text:
            raise ValueError(f"not in {POLICY}: {old}")
        text = text.replace(old, new)
    (made / "world" / POLICY).parent.mkdir(parents=True)
    (made / "world" / POLICY).write_text(text, "utf-8")
