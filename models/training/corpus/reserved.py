"""Owns what is reserved for measuring: repositories and files that are never taken, trained on or looked at."""

import hashlib
from pathlib import Path

REPOSITORIES_FILE = "reserved-repositories.sha256"
FILES_FILE = "reserved-files.sha256"


class Reserved:
    """The two lists of a folder: SHA-256 of lower-case `owner/name`, and of files."""

    def __init__(self, folder):
        """Fails where a list is absent or empty: an absent list would reserve nothing."""
        self.repositories = _read_list(Path(folder) / REPOSITORIES_FILE)
        self.files = _read_list(Path(folder) / FILES_FILE)

    def holds_repository(self, repository):
        return hash_text(repository.lower()) in self.repositories

    def holds_file(self, sha256):
        return sha256 in self.files


def hash_text(text):
    return hashlib.sha256(text.encode()).hexdigest()


def _read_list(path):
    hashes = set(path.read_text(encoding="ascii").split())
    if not hashes or any(len(entry) != 64 for entry in hashes):
        raise ValueError(f"{path}: expected one SHA-256 a line")
    return hashes
