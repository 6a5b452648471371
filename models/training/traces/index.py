"""Stage 0: writes the index of the fetched corpus' inside harvest and of the older collection, as the other stages read it.

Columns: label, source, owner, group, family, file (absolute), harvest. What is not on the disk is left out, and counted.
"""

import argparse
import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "corpus"))
from folds import join_owners  # noqa: E402
from owners import INSIDE, OUTSIDE, harvest_of  # noqa: E402

COLUMNS = ("label", "source", "owner", "group", "family", "file", "harvest", "crop")
OLDER_OWNERS = Path(__file__).with_name("older-owners.tsv")
LABELS = ("human", "artificial")
DOUBTFUL_SOURCES = ("omini-flux-edit",)
"""Published as input and output side by side."""


def list_corpus(manifest, folder, harvest):
    """The group is the name of all owners that are joined, by the whole manifest: with half of the files no owner changes its fold."""
    rows = [row for row in read_table(manifest) if row["harvest"] == harvest and row["label"] in LABELS]
    rows = [{**row, "owner": row["repository"].split("/")[0].lower()} for row in rows]
    joined = join_owners(rows)
    for row in rows:
        yield {**row, "group": joined[row["owner"]].removeprefix("group:"), "file": str(folder / row["file"]), "crop": ""}


def read_older_owners():
    """Returns {source of the older collection: owner of the fetched corpus who made it}, as far as their names say it."""
    return {row["source"]: row["owner"] for row in read_table(OLDER_OWNERS)}


def list_collection(folder, crop):
    """What an owner of the fetched corpus made goes with that owner, so not into learning where it is outside; the rest has none and is in every fold's learning."""
    owners = read_older_owners()
    for row in read_table(folder / "files.tsv"):
        owner = owners.get(row["source"], "")
        if owner and harvest_of(f"{owner}/any") == OUTSIDE:
            continue
        if row["label"] in LABELS and row["source"] not in DOUBTFUL_SOURCES:
            described = {"owner": owner, "group": owner, "family": row["kind"], "harvest": INSIDE, "crop": crop}
            yield {**row, **described, "file": str(folder / row["file"])}


def read_table(path):
    with open(path, newline="", encoding="utf-8") as stream:
        yield from csv.DictReader(stream, delimiter="\t")


def write_index(rows, out):
    kept = [row for row in rows if Path(row["file"]).exists()]
    with open(out, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, delimiter="\t", lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(kept)
    sources = {(row["label"], row["source"], bool(row["owner"])) for row in kept}
    print(f"{len(kept)} of {len(rows)} files, {len(sources)} sources", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True, help="folder that the manifest's files are relative to")
    parser.add_argument("--data", type=Path, help="the older collection: image/ and whole/")
    parser.add_argument("--harvest", choices=(INSIDE, OUTSIDE), default=INSIDE)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    found = list(list_corpus(arguments.manifest, arguments.corpus, arguments.harvest))
    if arguments.data:
        found += list_collection(arguments.data / "image", "crop")
        found += list_collection(arguments.data / "whole", "")
    write_index(found, arguments.out)
