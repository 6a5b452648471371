"""Owns the reading of a fetched repository: a bare git folder whose files are read without checking them out."""

import os
import subprocess
from dataclasses import dataclass

HISTORY_LINES_MAX = 2_000_000
"""Objects of a history that are listed at most."""
NO_GIT_CONFIGURATION = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0"}


@dataclass(frozen=True)
class Entry:
    """A file of a tree: its path, the name of its object, its size in bytes where the tree was listed with sizes."""

    path: str
    blob: str
    size: int


class Mirror:
    """A bare repository below a folder named OWNER+NAME."""

    def __init__(self, folder):
        self.folder = folder
        self.commit = self._run("rev-parse", "HEAD").decode().strip()

    def list_head(self):
        """Returns the files of the newest commit; links and submodules are left out."""
        return self._list("HEAD")

    def list_before(self, date):
        """Returns the files as they were before a day (ISO), none where the repository is younger."""
        commit = self._run("rev-list", "-1", f"--before={date}", "HEAD").decode().strip()
        return self._list(commit) if commit else []

    def _list(self, commit):
        listing = self._run("ls-tree", "-r", "-z", "--long", commit)
        entries = []
        for line in listing.split(b"\0"):
            if not line:
                continue
            description, path = line.split(b"\t", 1)
            mode, kind, blob, size = description.split()
            # "BAD": the snapshot names the file, and its bytes did not come.
            if kind != b"blob" or mode not in (b"100644", b"100755") or size == b"BAD":
                continue
            entries.append(Entry(path.decode("utf-8", "replace"), blob.decode(), int(size)))
        return entries

    def list_history(self):
        """Returns the files of all commits that came, each blob once, without sizes (-1)."""
        listing = self._run("rev-list", "--objects", "--all", "--missing=allow-any")
        entries = []
        for line in listing.split(b"\n")[:HISTORY_LINES_MAX]:
            blob, _, path = line.partition(b" ")
            if path and b"." in path.rsplit(b"/", 1)[-1]:
                entries.append(Entry(path.decode("utf-8", "replace"), blob.decode(), -1))
        return entries

    def date_of_head(self):
        return self._run("log", "-1", "--format=%cs").decode().strip()

    def read(self, entries, bytes_max):
        """Yields (entry, bytes) one after another; entries that are absent or larger than `bytes_max` are left out."""
        process = subprocess.Popen(
            self._command("cat-file", "--batch"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=self._environment(),
        )
        try:
            for entry in entries:
                if entry.size > bytes_max or self._size_of(entry) > bytes_max:
                    continue
                process.stdin.write(f"{entry.blob}\n".encode())
                process.stdin.flush()
                header = process.stdout.readline().split()
                if len(header) != 3 or header[1] != b"blob":
                    if len(header) == 3:
                        process.stdout.read(int(header[2]) + 1)
                    continue
                content = process.stdout.read(int(header[2]))
                process.stdout.read(1)
                yield entry, content
        finally:
            process.stdin.close()
            process.stdout.close()
            process.wait()

    def _size_of(self, entry):
        if entry.size >= 0:
            return entry.size
        answer = subprocess.run(
            self._command("cat-file", "-s", entry.blob), capture_output=True, env=self._environment(), check=False
        )
        return int(answer.stdout) if answer.returncode == 0 else 1 << 62

    def _run(self, *arguments):
        return subprocess.run(
            self._command(*arguments), check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self._environment()
        ).stdout

    def _command(self, *arguments):
        return ["git", "--git-dir", str(self.folder), "-c", "core.hooksPath=/dev/null", *arguments]

    def _environment(self):
        return {**os.environ, **NO_GIT_CONFIGURATION, "GIT_NO_LAZY_FETCH": "1"}


def find_mirrors(folder):
    """Returns {lower-case owner/name: (owner/name, git folder)} of the fetched repositories below a folder."""
    mirrors = {}
    for outer in sorted(folder.iterdir()):
        owner, plus, name = outer.name.partition("+")
        if not plus or not outer.is_dir():
            continue
        heads = [outer / "HEAD", *sorted(outer.glob("*/HEAD")), *sorted(outer.glob("*/.git/HEAD"))]
        head = next((head for head in heads if head.is_file()), None)
        if head:
            mirrors[f"{owner}/{name}".lower()] = (f"{owner}/{name}", head.parent)
    return mirrors
