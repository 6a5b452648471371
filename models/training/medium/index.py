"""Stage 1: writes the table of pictures whose medium is known: of the fetched corpus by looking, of the older collection by its kinds.

Columns: label, medium, source, owner, group, family, file (absolute), harvest. At most `--count-max` of a source and medium, spread
over its paths; in the order in which they are read, all sources come early, so that what was cut off is still broad.
"""

import argparse
import csv
import re
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "corpus"))
from looks import Looks  # noqa: E402
from manifests import read_manifest  # noqa: E402
from owners import INSIDE, owner_of  # noqa: E402

COLUMNS = ("label", "medium", "source", "owner", "group", "family", "file", "harvest")
KINDS_OF_MEDIUM = (
    (r"microscopy|aesthetic|CGI and photos|panorama and UI|astronomy|illustration and design|web test corpus|templates photos|UI designs", None),
    (r"comic|paint|drawing|drawn|sketch|illustration|clip art|card art|pixel art", "drawing"),
    (r"screenshots?$|editor UI", "screenshot"),
    (r"CGI|game", "render"),
    (r"documents|receipts", "document"),
)
"""Of the older collection's people: by its kind, the first match counts; what mixes media is left out, the rest are photographs."""


def list_corpus(folder):
    looks = Looks()
    for row in read_manifest("image"):
        medium = looks.medium_of(row)
        if medium and row["label"] in ("human", "artificial") and (folder / row["file"]).exists():
            yield {**row, "medium": medium, "owner": owner_of(row["repository"]), "file": str(folder / row["file"])}


def list_collection(folder):
    with open(folder / "files.tsv", newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            medium = next((medium for pattern, medium in KINDS_OF_MEDIUM if re.search(pattern, row["kind"])), "photograph")
            if row["label"] == "human" and medium:
                described = {"medium": medium, "owner": f"older:{row['source']}", "group": "", "family": row["kind"], "harvest": INSIDE}
                yield {**row, **described, "file": str(folder / row["file"])}


def choose(rows, count_max):
    parts = {}
    for row in sorted(rows, key=lambda row: zlib.crc32(row["file"].rsplit("/", 1)[-1].encode())):
        parts.setdefault((row["source"], row["medium"]), []).append(row)
    ordered = sorted(parts.items(), key=lambda item: zlib.crc32("/".join(item[0]).encode()))
    return [row for number in range(count_max) for _, part in ordered for row in part[number : number + 1]]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder that the manifest's files are relative to")
    parser.add_argument("--data", type=Path, required=True, help="the older collection: whole/")
    parser.add_argument("--count-max", type=int, default=6)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    chosen = choose([*list_corpus(arguments.corpus), *list_collection(arguments.data / "whole")], arguments.count_max)
    with open(arguments.out, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, delimiter="\t", lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(chosen)
    print(f"{len(chosen)} pictures of {len({row['source'] for row in chosen})} sources", file=sys.stderr)
