"""Takes each decision as it was first made, and overlooks that three were made again."""

from solution import SECTIONS, announce, sign_in, write

write(
    sign_in(),
    {
        **SECTIONS,
        "How": SECTIONS["How"].replace("thirty", "ten"),
        "Backups": SECTIONS["Backups"].replace("Fourteen", "Seven").replace("03:30", "02:00"),
    },
)
announce()
