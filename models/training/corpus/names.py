"""Owns how a harvested file is named for learning: its generator or kind, family, year, language and group."""

import csv
import re
from pathlib import Path

from owners import owner_of

FOLDER = Path(__file__).parent
UNKNOWN = "unknown"
SYSTEM_FILES = (
    (r"eleven[_-]?labs", "ElevenLabs"), (r"(^|[^a-z])gtts", "gTTS"), (r"xtts", "Coqui XTTS"), (r"edge[_-]?tts", "Edge TTS"),
    (r"pytts", "pyttsx3"), (r"(^|[^a-z])polly([^a-z]|$)", "Polly"), (r"(^|[^a-z])piper([^a-z]|$)", "Piper"),
)
"""Words of a file's name that say which synthesiser wrote it, where the code beside it knows several; the name in voices.tsv."""


def read_patterns(name):
    """Returns (compiled pattern, line) pairs of a table whose first column is a regular expression; the first match counts."""
    with open(FOLDER / name, newline="", encoding="utf-8") as stream:
        return [(re.compile(line["pattern"], re.IGNORECASE), line) for line in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)]


class Names:
    """The tables generators.tsv, kinds.tsv, languages.tsv and groups.tsv."""

    def __init__(self):
        self.generators = read_patterns("generators.tsv")
        self.systems = read_patterns("voices.tsv")
        self.kinds = read_patterns("kinds.tsv")
        self.languages = read_patterns("languages.tsv")
        self.groups = read_patterns("groups.tsv")

    def name(self, row):
        """Returns what, family, year, language and group of a harvested file."""
        line = self._first(self._table(row), self._texts(row))
        group = self._first(self.groups, [row["source"]])
        named = {
            "what": line["what"] if line else (UNKNOWN if row["label"] != "human" else "photograph"),
            "family": line["family"] if line else (UNKNOWN if row["label"] != "human" else "photograph"),
            "year": (line or {}).get("year", ""),
            "group": group["group"] if group else owner_of(row["repository"]),
            "language": "",
        }
        if row["media_kind"] == "audio":
            language = self._first(self.languages, [row["path"], f"{row['source']} {row['what']}"])
            named["language"] = language["language"] if language else UNKNOWN
            named.update(self.name_by_file({**row, **named}))
        return named

    def name_by_file(self, row):
        """Returns what, family and year of a voice whose system is unknown by its source and said by its file's name; else nothing."""
        if row["label"] != "artificial" or row["what"] != UNKNOWN:
            return {}
        name = row["path"].rsplit("/", 1)[-1]
        said = next((system for pattern, system in SYSTEM_FILES if re.search(pattern, name, re.IGNORECASE)), None)
        line = self._first(self.systems, [said]) if said else None
        return {key: line[key] for key in ("what", "family", "year")} if line else {}

    def _table(self, row):
        if row["media_kind"] == "audio":
            return self.systems
        return self.kinds if row["label"] == "human" else self.generators

    def _texts(self, row):
        if row["label"] == "human":
            return [f"{row['what']} camera:{row['camera']}", row["source"]]
        return [row["checkpoint"], f"{row['what']} {row['source']}"] if row["checkpoint"] else [f"{row['what']} {row['source']}"]

    def _first(self, table, texts):
        for text in texts:
            for pattern, line in table:
                if text and pattern.search(text):
                    return line
        return None
