"""Says how far the corpus got: `python3 counts.py` prints the tables of README.md."""

from collections import Counter

from looks import MEDIA, Looks
from manifests import KINDS, read_manifest
from owners import OUTSIDE, owner_of


def main():
    rows = [{**row, "kind": kind} for kind in KINDS for row in read_manifest(kind)]
    print("| kind | label | files | sources | owners | generators or kinds | outside: files | sources | owners |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for key in sorted({(row["kind"], row["label"]) for row in rows}):
        chosen = [row for row in rows if (row["kind"], row["label"]) == key]
        outside = [row for row in chosen if row["harvest"] == OUTSIDE]
        cells = [*key, *count(chosen), len({row["what"] for row in chosen} - {"unknown"}), *count(outside)]
        print(f"| {' | '.join(str(cell) for cell in cells)} |")
    pictures = [row for row in rows if row["kind"] == "image"]
    print_media(pictures)
    made = {row["what"]: row["year"] for row in pictures if row["label"] == "artificial" and row["what"] != "unknown"}
    print("generators of pictures since 2025:", ", ".join(sorted(what for what, year in made.items() if year >= "2025")))
    print("human pictures by decade of EXIF:", dict(sorted(Counter(row["taken"][:3] + "0s" if row["taken"] else "none" for row in pictures if row["label"] == "human").items())))
    print("cameras:", len({row["camera"] for row in pictures if row["camera"]}))
    for label in ("artificial", "human"):
        print("languages,", label, dict(Counter(row["language"] for row in rows if row["kind"] == "speech" and row["label"] == label).most_common()))


def print_media(pictures):
    looks = Looks()
    print("| medium | people's: files | owners | outside | artificial: files | owners | outside | generators |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for medium in (*MEDIA, None):
        cells = [medium or "not looked at yet"]
        for label in ("human", "artificial"):
            chosen = [row for row in pictures if row["label"] == label and looks.medium_of(row) == medium]
            files, _, owners = count(chosen)
            cells += [files, owners, count([row for row in chosen if row["harvest"] == OUTSIDE])[2]]
        print(f"| {' | '.join(str(cell) for cell in cells)} | {len({row['what'] for row in chosen} - {'unknown', 'unknown (ComfyUI)'})} |")


def count(rows):
    return len(rows), len({row["source"] for row in rows}), len({owner_of(row["repository"]) for row in rows})


if __name__ == "__main__":
    main()
