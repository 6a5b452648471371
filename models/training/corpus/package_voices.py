"""Recordings of people out of Debian's packages: `python3 package_voices.py --packages DIR --out DIR`.

Spoken prompts of telephones, letters and names of things for children, dialogues of a game: voices that were gathered by another way
than the corpus, for measuring alone. Each source of package-voices.tsv is a folder's prompts of one voice (of several, in a game's
dialogues). `DIR/PACKAGE` holds an unpacked package (`apt-get download PACKAGE; dpkg-deb -x FILE DIR/PACKAGE`). Writes up to two files of
at most 30 s a source, its prompts in a row, as FLAC at their own rate; the same files every time.
"""

import argparse
import csv
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "package-voices.tsv"
FILES_OF_A_SOURCE = 2
PROMPTS_MAX = 40
"""More than 30 s where prompts last a second."""
SECONDS_MAX = 30
SECONDS_MIN = 4
"""A shorter file is hardly judged: windows last two seconds."""
HEADLESS = {
    ".raw": ("-f", "s16le", "-ar", "8000", "-ac", "1"),
    ".g722": ("-f", "g722"),
    ".gsm": ("-f", "gsm"),
}
"""What ffmpeg must be told of files without a header, which can be joined byte for byte."""


def read_table(path=TABLE):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def find_prompts(folder, pattern):
    """Returns the files of an unpacked package whose path matches, by name."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path for path in paths if re.search(pattern, f"/{path.relative_to(folder)}")]


def choose_prompts(source, prompts):
    """Returns up to two lists of prompts in a row, from a place that the source's name draws."""
    start = random.Random(source).randrange(len(prompts))
    row = prompts[start:] + prompts[:start]
    length = min(PROMPTS_MAX, max(1, -(-len(row) // FILES_OF_A_SOURCE)))
    parts = [row[part * length : (part + 1) * length] for part in range(FILES_OF_A_SOURCE)]
    return [part for part in parts if part]


def join_prompts(prompts, out):
    """Writes them as one FLAC, and returns its seconds."""
    out.parent.mkdir(parents=True, exist_ok=True)
    into = ("-t", str(SECONDS_MAX), "-af", "asetpts=N/SR/TB", "-ac", "1", str(out))
    flags = HEADLESS.get(prompts[0].suffix)
    if flags is not None:
        joined = b"".join(prompt.read_bytes() for prompt in prompts)
        run_ffmpeg(*flags, "-i", "-", *into, given=joined)
    else:
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as listing:
            quoted = (str(prompt).replace("'", "'\\''") for prompt in prompts)
            listing.write("".join(f"file '{path}'\n" for path in quoted))
            listing.flush()
            run_ffmpeg("-f", "concat", "-safe", "0", "-i", listing.name, *into)
    return seconds_of(out)


def run_ffmpeg(*arguments, given=None):
    subprocess.run(("ffmpeg", "-v", "fatal", "-y", *arguments), input=given, check=True)


def seconds_of(path):
    command = ("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", str(path))
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def take_source(row, packages, out):
    """Returns how many files were written."""
    folder = packages / row["package"]
    if not folder.is_dir():
        raise SystemExit(f"{folder}: expected the unpacked package, found nothing")
    prompts = find_prompts(folder, row["pattern"])
    if not prompts:
        raise SystemExit(f"{row['source']}: no file of {row['package']} matches {row['pattern']}")
    written = 0
    for part, chosen in enumerate(choose_prompts(row["source"], prompts)):
        path = out / "human" / row["source"] / f"{part}.flac"
        if join_prompts(chosen, path) < SECONDS_MIN:
            path.unlink()
        else:
            written += 1
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    counts = [take_source(row, arguments.packages, arguments.out) for row in read_table()]
    print(f"{sum(counts)} files of {sum(count > 0 for count in counts)} sources")


if __name__ == "__main__":
    sys.exit(main())
