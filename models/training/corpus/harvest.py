"""Takes media out of fetched repositories: `python3 harvest.py --mirror DIR --list sources.tsv --reserved DIR --out DIR`.

For each repository of the mirror that the list names and that has not been harvested yet: reads the files that its rows
name, leaves out what is reserved, small, drawn by programs or held already, keeps the bytes untouched below OUT, and
writes OUT/found/OWNER+NAME.tsv. `assemble.py` makes the manifests of it.
"""

import argparse
import contextlib
import fcntl
import hashlib
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import recordings
from candidates import FOLDER, read_table, read_tables, to_table_name, write_table
from extras import BEFORE_GENERATORS, MARKED_TRIES, MARKS_OF_GENERATORS, find_extras
from listing import CAMERA_NAME, Row, read_sources, select_paths
from mirror import Mirror, find_mirrors
from pictures import BYTES_MAX, EXTENSIONS, INPUT_NAMES, LEFT_OUT_NAMES, Refused, find_marks, read_picture
from reserved import Reserved

BYTES_MAX_OF = {"image": BYTES_MAX, "video": recordings.VIDEO_BYTES_MAX, "audio": recordings.SOUND_BYTES_MAX}
EXTENSIONS_OF = {"image": EXTENSIONS, "video": recordings.VIDEO_EXTENSIONS, "audio": recordings.SOUND_EXTENSIONS}
FILES_PER_SOURCE = {"image": 40, "video": 16, "audio": 80}
"""Breadth of sources counts, not depth: more of one is not kept."""
FILES_PER_LARGE_SOURCE = {"image": 80, "video": 24, "audio": 240}
MANY_HANDS = re.compile(r"community|many (flickr )?users|of many|posts of named artists", re.IGNORECASE)
FILES_OF_ANY_MEDIUM = 24
"""Of a repository whose pictures are told apart by looking."""
FILES_OF_MANY_HANDS = 240
"""Collections of many authors are broad in themselves."""
LARGE_SOURCE_FILES = 300
"""From as many files on, of people and of many speakers, a source may give more."""
SOURCE_BYTES_MAX = {"image": 120_000_000, "video": 160_000_000, "audio": 80_000_000}
TRIES_PER_FILE = 3
"""Files that are read for each that is wanted, before a source counts as exhausted."""
CAMERA_FILES = 30
"""Pictures that a camera's EXIF vouches for, taken of one repository beside its rows."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirror", type=Path, required=True, help="folder of fetched repositories, OWNER+NAME each")
    parser.add_argument("--list", type=Path, required=True, action="append", help="sources.tsv; may be given more than once")
    parser.add_argument("--reserved", type=Path, required=True, help="folder of the two reserved lists")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--extras", action="store_true", help="of repositories that were harvested: what they hold beside their rows")
    parser.add_argument("--repository", action="append", help="owner/name: only this one; may be given more than once")
    options = parser.parse_args()
    rows_of = group_rows([row for path in options.list for row in read_sources(path)])
    mirrors = find_mirrors(options.mirror)
    reserved = Reserved(options.reserved, [name.split("/")[0] for name in (*rows_of, *mirrors)])
    wanted = [name.lower() for name in options.repository or sorted(mirrors if options.extras else rows_of)]
    taken_hashes = {row["sha256"] for row in read_tables(options.out / FOLDER)}
    for name in wanted:
        rows = rows_of.get(name, [])
        if name not in mirrors or (not rows and not options.extras):
            if options.repository:
                print(f"{name}: {'not in the mirror' if name not in mirrors else 'not in the list'}", file=sys.stderr)
            continue
        repository, folder = mirrors[name]
        if is_reserved(repository, rows, reserved):
            print(f"{repository}: reserved")
            continue
        if rows and (options.out / FOLDER / to_table_name(repository)).exists() != options.extras:
            continue
        with claim(options.out, repository, options.extras) as is_mine:
            if is_mine and options.extras:
                harvest_extras(repository, folder, rows, reserved, options.out, taken_hashes)
            elif is_mine:
                harvest_one(repository, folder, rows, reserved, options.out, taken_hashes)


def harvest_one(repository, folder, rows, reserved, out, taken_hashes):
    try:
        harvest = Harvest(repository, Mirror(folder), reserved, out, taken_hashes)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        # One damaged snapshot must not stop the others.
        print(f"{repository}: unreadable ({error})", file=sys.stderr)
        return
    found = harvest.take(rows)
    write_table(out / FOLDER, repository, found)
    reasons = ", ".join(f"{reason} {count}" for reason, count in harvest.refused.most_common(8))
    print(f"{repository}: {len(found)} of {len({row['source'] for row in found})} sources; left out: {reasons or 'none'}", flush=True)


def harvest_extras(repository, folder, rows, reserved, out, taken_hashes):
    done = out / "locks" / f"{to_table_name(repository)}.extras"
    harvest = Harvest(repository, Mirror(folder), reserved, out, taken_hashes)
    before = read_table(out / FOLDER, repository) if rows else []
    found = harvest.take_extras(rows, {row["path"] for row in before})
    write_table(out / FOLDER, repository, [*before, *found])
    done.touch()
    print(f"{repository}: {len(found)} extras of {len({row['source'] for row in found})} sources", flush=True)


@contextlib.contextmanager
def claim(out, repository, extras):
    """Yields whether the repository is this process's to harvest; another one may be at work on it."""
    path = out / "locks" / to_table_name(repository)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        done = path.with_name(f"{path.name}.extras") if extras else out / FOLDER / to_table_name(repository)
        yield not done.exists()



def group_rows(rows):
    rows_of = {}
    for row in rows:
        rows_of.setdefault(row.repo.lower(), []).append(row)
    return rows_of


def is_reserved(repository, rows, reserved):
    """Whether the repository, or what the list calls it, is reserved, or forked from a reserved one."""
    return reserved.holds_repository(repository) or any(reserved.holds_repository(row.repo) for row in rows)


def media_kind_of(row):
    if row.kind in ("image", "video"):
        return row.kind
    if row.kind == "speech":
        return "audio"
    return "video" if row.ext.lower() in recordings.VIDEO_EXTENSIONS else "image"


class Harvest:
    """What is taken of one repository."""

    def __init__(self, repository, mirror, reserved, out, taken_hashes):
        self.repository, self.mirror, self.reserved, self.out = repository, mirror, reserved, out
        self.taken_hashes = taken_hashes
        self.refused = Counter()
        self.head = mirror.list_head()
        self.date = mirror.date_of_head()
        self.history = None
        self.old_blobs = None
        self.paths_taken = set()

    def take(self, rows):
        found = []
        for row in sorted(rows, key=_most_exact_first):
            found += self.take_row(row)
        if all(not row.is_of_any_medium and row.kind != "edit" and row.kind != "face" and row.label not in ("enhanced",) for row in rows):
            found += self.take_camera_pictures(rows)
        return found

    def take_extras(self, rows, known_paths):
        """Returns what the repository holds beside its rows; paths that were taken before are left alone."""
        self.paths_taken |= known_paths
        found = []
        for extra in find_extras(self.repository, self.head, self.mirror.list_before(BEFORE_GENERATORS), self.date, rows):
            entries = [entry for entry in extra.entries if entry.path not in self.paths_taken]
            tries = MARKED_TRIES if extra.must_be_marked else extra.bound * TRIES_PER_FILE
            taken = 0
            for entry, content in self.mirror.read(spread(entries, tries), BYTES_MAX_OF[extra.media_kind]):
                if taken >= extra.bound:
                    break
                if extra.must_be_marked and not set(find_marks(content)["declared"].split()) & set(MARKS_OF_GENERATORS):
                    continue
                try:
                    found.append(self.take_file(extra.row, extra.media_kind, entry, content))
                    taken += 1
                except Refused as reason:
                    self.refused[f"extra: {reason}"] += 1
        return found

    def take_row(self, row):
        media_kind = media_kind_of(row)
        entries = self.find(row, media_kind)
        bound = FILES_PER_SOURCE[media_kind]
        if len(entries) >= LARGE_SOURCE_FILES and (row.label == "human" or media_kind == "audio"):
            bound = FILES_PER_LARGE_SOURCE[media_kind]
        if row.is_of_any_medium:
            bound = FILES_OF_ANY_MEDIUM
        if media_kind == "image" and MANY_HANDS.search(row.what):
            bound = FILES_OF_MANY_HANDS
        return self.take_entries(row, media_kind, entries, bound)

    def find(self, row, media_kind):
        """Returns the files that a row names: in the newest commit, else in the history that came."""
        entries = self._select(row, media_kind, self.head)
        if not entries:
            if self.history is None:
                self.history = self.mirror.list_history()
            entries = self._select(row, media_kind, self.history)
        return entries

    def _select(self, row, media_kind, listing):
        extensions = EXTENSIONS_OF[media_kind]
        media = [entry for entry in listing if entry.path.rsplit(".", 1)[-1].lower() in extensions]
        by_path = {}
        for entry in media:
            by_path.setdefault(entry.path, entry)
        selected = select_paths(row.under, list(by_path))
        if row.is_camera_row:
            selected = [path for path in by_path if CAMERA_NAME.match(path.rsplit("/", 1)[-1])] or selected
        if row.label == "artificial" and media_kind == "image" and len(selected) > 1:
            base = row.under.split("*")[0]
            selected = [path for path in selected if not INPUT_NAMES.search(path.removeprefix(base))]
        return [by_path[path] for path in selected if by_path[path].path not in self.paths_taken]

    def take_entries(self, row, media_kind, entries, bound):
        found, size = [], 0
        for entry, content in self.mirror.read(spread(entries, bound * TRIES_PER_FILE), BYTES_MAX_OF[media_kind]):
            if len(found) >= bound or size > max(1, bound / 40) * SOURCE_BYTES_MAX[media_kind]:
                break
            try:
                found.append(self.take_file(row, media_kind, entry, content))
                size += len(content)
            except Refused as reason:
                self.refused[str(reason)] += 1
        return found

    def take_file(self, row, media_kind, entry, content):
        sha256 = hashlib.sha256(content).hexdigest()
        if self.reserved.holds_file(sha256):
            raise Refused("reserved")
        if sha256 in self.taken_hashes:
            raise Refused("held already")
        extension = entry.path.rsplit(".", 1)[-1].lower()
        if media_kind == "image":
            said = read_picture(content, entry.path, row.is_of_any_medium)
        else:
            with tempfile.NamedTemporaryFile(suffix=f".{extension}") as temporary:
                temporary.write(content)
                temporary.flush()
                said = recordings.read_recording(content, entry.path, temporary.name, media_kind)
        if row.label == "human" and media_kind == "image" and said["declared"]:
            raise Refused("declared by a generator")
        file = Path(media_kind, row.label, row.source, f"{sha256[:20]}.{extension}")
        path = self.out / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.taken_hashes.add(sha256)
        self.paths_taken.add(entry.path)
        return {
            "kind": row.kind, "label": row.label, "source": row.source, "what": row.what, "repository": self.repository,
            "commit": self.mirror.commit, "path": entry.path, "sha256": sha256, "bytes": len(content), "media_kind": media_kind,
            "file": str(file), "licence": row.licence, "date": row.date or self.date_of(row, entry), **said,
        }

    def date_of(self, row, entry):
        """Returns the day of the last commit; the eve of the generators where a file that no camera vouches for was there by then."""
        if not row.is_of_any_medium or self.date < BEFORE_GENERATORS:
            return self.date
        if self.old_blobs is None:
            self.old_blobs = {old.blob for old in self.mirror.list_before(BEFORE_GENERATORS)}
        return BEFORE_GENERATORS if entry.blob in self.old_blobs else self.date

    def take_camera_pictures(self, rows):
        """Returns photographs that no row names: those whose EXIF names a camera, an exposure and a day."""
        if any(row.kind == "image" and row.label == "human" for row in rows):
            source = next(row.source for row in rows if row.kind == "image" and row.label == "human")
        else:
            source = f"exif-{self.repository.split('/')[0].lower()}-{self.repository.split('/')[1].lower()}"[:60]
        jpegs = [
            entry for entry in self.head
            if entry.path.lower().endswith((".jpg", ".jpeg")) and entry.path not in self.paths_taken
            and 40_000 < entry.size <= BYTES_MAX and not LEFT_OUT_NAMES.search(entry.path)
        ]
        row = Row(
            "image", "human", "".join(char if char.isalnum() or char in "._-" else "-" for char in source),
            "photographs whose EXIF names camera, exposure and day", self.repository, "", "jpg", "", "EXIF", rows[0].licence, "",
        )
        found = []
        for entry, content in self.mirror.read(spread(jpegs, CAMERA_FILES * 4), BYTES_MAX):
            if len(found) >= CAMERA_FILES:
                break
            if b"Exif\0" not in content[:65536]:
                continue
            try:
                said = read_picture(content, entry.path)
                if said["camera"] and said["taken"] and "no exposure" not in said["camera"]:
                    found.append(self.take_file(row, "image", entry, content))
            except Refused as reason:
                self.refused[f"camera: {reason}"] += 1
        return found


def spread(entries, count):
    """Returns at most `count` of the entries, evenly over their paths, the evenly chosen first and their neighbours after."""
    ordered = sorted(entries, key=lambda entry: entry.path)
    if len(ordered) <= count:
        first = len(ordered)
    else:
        first = count
    step = len(ordered) / max(1, first)
    chosen = [ordered[int(index * step)] for index in range(first)]
    # A fixed shuffle by content: a bound that cuts the list still sees all of its length.
    return sorted(chosen, key=lambda entry: hashlib.sha256(entry.blob.encode()).digest())


def _most_exact_first(row):
    """Rows that name one file come before those that name a folder with it."""
    return (row.under.count("*") + (1 if "." not in row.under.rsplit("/", 1)[-1] else 0), -len(row.under))


if __name__ == "__main__":
    main()
