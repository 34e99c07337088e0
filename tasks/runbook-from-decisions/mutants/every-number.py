"""Cannot decide between the decisions, and offers every number it has read."""

from solution import SECTIONS, announce, sign_in, write

hours = ", ".join(f"{hour:02}:00" for hour in range(24))
write(
    sign_in(),
    {
        **SECTIONS,
        "When": f"{SECTIONS['When']}\n\nOr at {hours}.",
        "Backups": SECTIONS["Backups"].replace("Fourteen", "Seven or fourteen"),
        "Rolling back": SECTIONS["Rolling back"] + "\n\nOr within 20 minutes.",
        "Alarms": SECTIONS["Alarms"] + "\n\nOr 90 percent.",
    },
)
announce()
