"""Owns the manifests: which columns each kind of media has, and how they are read and written."""

import csv
import os
from pathlib import Path

FOLDER = Path(__file__).parent / "manifests"
KINDS = ("image", "video", "speech", "edit", "face")
COLUMNS = (
    "harvest", "label", "source", "group", "what", "family", "year", "language", "repository", "commit", "path", "sha256", "bytes",
    "format", "width", "height", "seconds", "fps", "rate", "channels", "camera", "taken", "declared", "print", "licence", "date", "file",
)
REQUIRED = (
    "harvest", "label", "source", "group", "what", "family", "repository", "commit", "path", "sha256", "bytes", "format", "print",
    "licence", "date", "file",
)
"""Of every row. `what` is the generator of artificial media, the kind of human ones."""
REQUIRED_OF_MEDIA_KIND = {"image": ("width", "height"), "video": ("width", "height", "seconds", "fps"), "audio": ("seconds", "rate", "channels", "language")}


def media_kind_of(row):
    return row["file"].partition("/")[0]


def read_manifest(kind, folder=FOLDER):
    with open(folder / f"{kind}.tsv", newline="", encoding="utf-8") as stream:
        reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{kind}.tsv: expected the columns {', '.join(COLUMNS)}")
        return list(reader)


def write_manifest(kind, rows, folder=FOLDER):
    """Replaces a manifest at once; rows are sorted, so that a change shows as one."""
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f"{kind}.tsv.part"
    with open(temporary, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: (row["label"], row["source"], row["path"], row["sha256"])))
    os.replace(temporary, folder / f"{kind}.tsv")
