"""Owns what looking at contact sheets decided: looked-at.tsv.

The column `file` is empty for a whole source, holds the first eight digits of a file's SHA-256, or `~` and a regular
expression of paths.
"""

import csv
import re
from pathlib import Path

FILE = Path(__file__).parent / "looked-at.tsv"
COLUMNS = ("source", "file", "decision", "what", "reason")
DECISIONS = ("keep", "drop", "human", "artificial", "edited", "enhanced")


class Looks:
    """Decisions by source, and by file where one of a source differs. A source without one has not been looked at."""

    def __init__(self, path=FILE):
        self.of_source, self.of_file, self.of_path = {}, {}, {}
        with open(path, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise ValueError(f"{path}: expected the columns {', '.join(COLUMNS)}")
            for line in reader:
                if line["decision"] not in DECISIONS:
                    raise ValueError(f"{path}: {line['source']}: unknown decision {line['decision']!r}")
                if line["file"].startswith("~"):
                    self.of_path.setdefault(line["source"], []).append((re.compile(line["file"][1:]), line))
                elif line["file"]:
                    self.of_file[line["source"], line["file"]] = line
                else:
                    self.of_source[line["source"]] = line

    def decide(self, source, sha256, path):
        """Returns the line that holds for a file, or None where its source has not been looked at."""
        by_file = self.of_file.get((source, sha256[:8]))
        by_path = next((line for pattern, line in self.of_path.get(source, []) if pattern.search(path)), None)
        return by_file or by_path or self.of_source.get(source)
