"""Owns the list of sources: its rows, and what their paths mean."""

import csv
import re
from dataclasses import dataclass

COLUMNS = ("kind", "label", "source", "what", "repo", "under", "ext", "files", "evidence", "licence", "date")
KINDS = ("image", "edit", "face", "video", "speech")
LABELS = ("artificial", "human", "edited", "enhanced", "swapped")
CAMERA_NAME = re.compile(
    r"^(_?DSC[_NF0-9]|_?IMG[_-]?\d|_MG_|PXL_\d|DJI_|GOPR|P\d{7}|PICT\d|SAM_|HPIM|CIMG|MVC-|DSCI|IMGP|20\d{6}_\d{6})",
    re.IGNORECASE,
)
"""What cameras and phones call their files."""


@dataclass(frozen=True)
class Row:
    """One source as listed."""

    kind: str
    label: str
    source: str
    what: str
    repo: str
    under: str
    ext: str
    files: str
    evidence: str
    licence: str
    date: str

    @property
    def is_of_any_medium(self):
        """Whether drawings, screenshots, scans and the like count too; looking says which a picture is (media.tsv)."""
        return self.kind == "image" and self.what.startswith("any medium")

    @property
    def is_camera_row(self):
        """Whether the path is but the name that a camera gave to one file of many."""
        last = self.under.rsplit("/", 1)[-1]
        return self.kind == "image" and self.label == "human" and bool(CAMERA_NAME.match(last))


def read_sources(path):
    """Returns the rows of a list. Fails on an unknown column, kind or label, and on a source named twice in other repositories."""
    with open(path, newline="", encoding="utf-8") as stream:
        reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}: expected the columns {', '.join(COLUMNS)}")
        rows = [Row(**{name: (line[name] or "").strip() for name in COLUMNS}) for line in reader]
    for row in rows:
        if row.kind not in KINDS or row.label not in LABELS:
            raise ValueError(f"{path}: {row.source}: unknown kind or label {row.kind} {row.label}")
        if not re.fullmatch(r"[A-Za-z0-9._-]+", row.source):
            raise ValueError(f"{path}: {row.source!r} cannot name a folder")
        if row.repo.count("/") != 1:
            raise ValueError(f"{path}: {row.source}: expected owner/name, found {row.repo!r}")
    return rows


def to_patterns(under):
    """Returns regular expressions of whole paths, one for each alternative of a row's path.

    `*` stands for part of a name, `**` for any folders, `{a,b}` for one of them, `;` and ` and ` part alternatives; what
    stands in brackets is a remark. A path that names a folder holds for everything below it.
    """
    text = re.sub(r"\([^)]*\)", "", under)
    text = re.sub(r"\{[A-Z]+\}", "*", text)
    parts = [part.strip().strip("/") for part in re.split(r";| and ", text)]
    expanded = [one for part in parts if part and " later folders" not in f" {part}" for one in expand_braces(part)]
    return [re.compile(f"{to_expression(one)}(/.*)?") for one in expanded]


def expand_braces(text):
    match = re.search(r"\{([^{}]*)\}", text)
    if not match:
        return [text]
    head, tail = text[: match.start()], text[match.end() :]
    choices = [choice.strip() for choice in match.group(1).split(",") if choice.strip(" .")]
    return [one for choice in choices for one in expand_braces(head + choice + tail)]


def to_expression(pattern):
    pieces = re.split(r"(\*\*/?|\*)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return "".join(meaning.get(piece, re.escape(piece)) for piece in pieces)


def select_paths(under, paths):
    """Returns those of `paths` that a row's path names; those of the same file name where none lies there any more."""
    patterns = to_patterns(under)
    found = [path for path in paths if any(pattern.fullmatch(path) for pattern in patterns)]
    if found or "*" in under or "{" in under:
        return found
    name = under.rsplit("/", 1)[-1]
    if "." not in name:
        return []
    return [path for path in paths if path.rsplit("/", 1)[-1] == name]
