"""Owns what looking at contact sheets decided: looked-at.tsv, and media.tsv, which medium a picture is of.

The column `file` is empty for a whole source, holds the first eight digits of a file's SHA-256, or `~` and a regular
expression of paths.
"""

import csv
import re
from pathlib import Path

FILE = Path(__file__).parent / "looked-at.tsv"
MEDIA_FILE = Path(__file__).parent / "media.tsv"
COLUMNS = ("source", "file", "decision", "what", "reason")
MEDIA_COLUMNS = ("source", "file", "medium")
DECISIONS = ("keep", "drop", "human", "artificial", "edited", "enhanced")
MEDIA = ("photograph", "drawing", "render", "screenshot", "document", "text", "collage")
"""Drawing: paintings, comics, logos, pixel art too. Render: computed scenes and games. Document: scans, slides, charts, maps. Text: memes, posters."""


class Lines:
    """Lines of a table by source, by file where one of a source differs, or by a pattern of paths."""

    def __init__(self, path, columns, choices):
        self.of_source, self.of_file, self.of_path = {}, {}, {}
        with open(path, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            if tuple(reader.fieldnames or ()) != columns:
                raise ValueError(f"{path}: expected the columns {', '.join(columns)}")
            for line in reader:
                if line[columns[2]] not in choices:
                    raise ValueError(f"{path}: {line['source']}: unknown {columns[2]} {line[columns[2]]!r}")
                if line["file"].startswith("~"):
                    self.of_path.setdefault(line["source"], []).append((re.compile(line["file"][1:]), line))
                elif line["file"]:
                    self.of_file[line["source"], line["file"]] = line
                else:
                    self.of_source[line["source"]] = line

    def find(self, source, sha256, path):
        """Returns the line that holds for a file, or None."""
        by_file = self.of_file.get((source, sha256[:8]))
        by_path = next((line for pattern, line in self.of_path.get(source, []) if pattern.search(path)), None)
        return by_file or by_path or self.of_source.get(source)


class Looks:
    """Decisions: a source without one has not been looked at. Media: a file without one is a photograph where its label is human."""

    def __init__(self, path=FILE, media_path=MEDIA_FILE):
        self.decisions = Lines(path, COLUMNS, DECISIONS)
        self.media = Lines(media_path, MEDIA_COLUMNS, MEDIA)
        self.of_source = self.decisions.of_source

    def decide(self, source, sha256, path):
        return self.decisions.find(source, sha256, path)

    def medium_of(self, row):
        """Returns the medium of a picture of a manifest, None where nobody said it of an artificial one."""
        line = self.media.find(row["source"], row["sha256"], row["path"])
        if line:
            return line["medium"]
        return ("drawing" if row["family"] == "art" else "photograph") if row["label"] == "human" else None
