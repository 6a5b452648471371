"""Taking the files of a manifest out of the mirror again (restore.py)."""

import csv
import hashlib
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from restore import restore  # noqa: E402

COLUMNS = ("repository", "path", "sha256", "file")


def commit(folder, path, content):
    (folder / path).write_bytes(content)
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
    subprocess.run(["git", "-C", folder, "add", "-A"], check=True)
    subprocess.run(["git", "-C", folder, *identity, "commit", "-qm", path], check=True)


class Restore(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name)
        repository = self.folder / "mirror" / "owner+name"
        repository.mkdir(parents=True)
        subprocess.run(["git", "-C", repository, "init", "-q"], check=True)
        commit(repository, "a.png", b"first")
        commit(repository, "a.png", b"second")
        self.out = self.folder / "out"

    def tearDown(self):
        self.place.cleanup()

    def run_with(self, *rows):
        manifest = self.folder / "image.tsv"
        with open(manifest, "w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, COLUMNS, delimiter="\t")
            writer.writeheader()
            writer.writerows(
                {"repository": "Owner/Name", "path": "a.png", "sha256": hashlib.sha256(content).hexdigest(), "file": file}
                for file, content in rows
            )
        restore(manifest, self.folder / "mirror", self.out)

    def test_a_file_comes_from_the_newest_commit_or_from_the_history_by_its_hash(self):
        self.run_with(("new.png", b"second"), ("old.png", b"first"))
        self.assertEqual((self.out / "new.png").read_bytes(), b"second")
        self.assertEqual((self.out / "old.png").read_bytes(), b"first")

    def test_bytes_of_another_hash_are_never_written(self):
        self.run_with(("other.png", b"third"))
        self.assertFalse((self.out / "other.png").exists())

    def test_what_lies_there_stays(self):
        self.out.mkdir()
        (self.out / "new.png").write_bytes(b"kept")
        self.run_with(("new.png", b"second"))
        self.assertEqual((self.out / "new.png").read_bytes(), b"kept")


if __name__ == "__main__":
    unittest.main()
