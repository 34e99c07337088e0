"""The job ad with this variant's points and what decides between people with as many, over the world's own."""

import docx

AD = "drive/files/People/Hiring/Support engineer/job-ad-support-engineer.docx"
TIE = "is compared by points, then by years of experience."
TOPICS = {
    "Dutch or French at B1 or better": "languages",
    "Linux": "linux",
    "a background in horticulture": "horticulture",
}


def build(values, made, world):
    ad = docx.Document(world / AD)
    [tie] = [run for paragraph in ad.paragraphs for run in paragraph.runs if TIE in run.text]
    cells = {row.cells[0].text: row.cells[1] for row in ad.tables[0].rows}
    points = {topic: str(values["worth"][name]) for topic, name in TOPICS.items()}
    said = tie.text.replace("years of experience", values["tie"])
    if said == tie.text and all(cells[topic].text == number for topic, number in points.items()):
        return
    tie.text = said
    for topic, number in points.items():
        [run] = cells[topic].paragraphs[0].runs
        run.text = number
    (made / "world" / AD).parent.mkdir(parents=True)
    ad.save(made / "world" / AD)
