"""No file: tells Hana that it is there, and chats with Marek about whose list it is."""

from solution import finish, sign_in

finish(sign_in(), "Yes, Hana gave me that list. It is long!")
