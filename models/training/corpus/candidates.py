"""Owns what a harvest leaves behind per repository: a table of what was taken, and of what was not and why."""

import csv
import os

COLUMNS = (
    "kind", "label", "source", "what", "repository", "commit", "path", "sha256", "bytes", "media_kind", "file", "format", "width",
    "height", "seconds", "fps", "rate", "channels", "sound", "print", "mirrored", "quality", "flat", "camera", "taken", "software",
    "declared", "checkpoint", "licence", "date",
)
FOLDER = "found"


def to_table_name(repository):
    return repository.replace("/", "+") + ".tsv"


def write_table(folder, repository, rows):
    """Replaces the table of a repository at once: a harvest that was cut off leaves none."""
    path = folder / to_table_name(repository)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    with open(temporary, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: to_field(row.get(name, "")) for name in COLUMNS} for row in rows)
    os.replace(temporary, path)


def read_tables(folder):
    """Yields the rows of all repositories, repositories in the order of their names."""
    for path in sorted(folder.glob("*.tsv")):
        yield from _read(path)


def read_table(folder, repository):
    return _read(folder / to_table_name(repository))


def _read(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def to_field(value):
    return " ".join(str(value).split())
