"""Takes the files of a manifest out of the mirror again, byte for byte: `python3 restore.py --manifest image.tsv --mirror DIR --out DIR`.

Nothing is chosen: a file counts only if its SHA-256 is the manifest's. What lies there already stays; a repository that is
not in the mirror yet is counted, so that it can be run again while repositories come.
"""

import argparse
import csv
import hashlib
import subprocess
import sys
from pathlib import Path

from mirror import Mirror, find_mirrors

BYTES_MAX = 400_000_000


def read_wanted(manifest, out):
    """Returns ({repository: [row whose file is absent]}, how many rows there are)."""
    with open(manifest, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    wanted = {}
    for row in rows:
        if not (out / row["file"]).exists():
            wanted.setdefault(row["repository"], []).append(row)
    return wanted, len(rows)


def restore_from(mirror, rows, out):
    """Returns how many of the rows were written: from the newest commit, else from the history that came."""
    left = take_paths(mirror, mirror.list_head(), rows, out)
    if left:
        left = take_paths(mirror, mirror.list_history(), left, out)
    return len(rows) - len(left)


def take_paths(mirror, listing, rows, out):
    """Writes what the listing holds with the right hash, and returns the rows that it does not."""
    missing = {}
    for row in rows:
        missing.setdefault(row["sha256"], []).append(row)
    paths = {row["path"] for row in rows}
    for _, content in mirror.read([entry for entry in listing if entry.path in paths], BYTES_MAX):
        for row in missing.pop(hashlib.sha256(content).hexdigest(), []):
            write_file(out / row["file"], content)
    return [row for rows_of_hash in missing.values() for row in rows_of_hash]


def write_file(path, content):
    """Writes beside and renames: a file that is there is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.part")
    temporary.write_bytes(content)
    temporary.rename(path)


def restore(manifest, mirror_folder, out):
    wanted, total = read_wanted(manifest, out)
    mirrors = find_mirrors(mirror_folder)
    absent = [name for name in wanted if name.lower() not in mirrors]
    lost = 0
    for name in (name for name in wanted if name.lower() in mirrors):
        try:
            written = restore_from(Mirror(mirrors[name.lower()][1]), wanted[name], out)
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            print(f"{name}: unreadable ({error})", file=sys.stderr)
            written = 0
        lost += len(wanted[name]) - written
        print(f"{name}: {written} of {len(wanted[name])} files", flush=True)
    waiting = sum(len(wanted[name]) for name in absent)
    print(f"{total - waiting - lost} of {total} files; {waiting} of {len(absent)} repositories that are not in the mirror; {lost} not found")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of fetched repositories, OWNER+NAME each")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    restore(arguments.manifest, arguments.mirror, arguments.out)
