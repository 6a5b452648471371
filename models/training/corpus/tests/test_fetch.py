"""What is reserved is refused before it is fetched; what is not is a bare repository that the harvest finds."""

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import fetch
from mirror import find_mirrors
from reserved import hash_text


class Fetching(unittest.TestCase):
    """Repositories made here, fetched from a folder."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("Maker/gallery", "Maker/held-back"):
            self.make_repository(self.folder / "origin" / name)
        self.reserve("maker/held-back")

    def make_repository(self, work):
        work.mkdir(parents=True)
        (work / "one.txt").write_text("one")
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-C", str(work)]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
            subprocess.run([*git, *command], check=True)

    def reserve(self, repository):
        lists = self.folder / "reserved"
        lists.mkdir(exist_ok=True)
        (lists / "reserved-repositories.sha256").write_text(hash_text(repository))
        (lists / "reserved-files.sha256").write_text("0" * 64)

    def fetch(self, *arguments):
        """Returns (exit code, what it printed, what it complained of)."""
        out, err = io.StringIO(), io.StringIO()
        folders = ["--reserved", str(self.folder / "reserved"), "--mirror", str(self.folder / "mirror"), "--from", str(self.folder / "origin")]
        with patch.object(sys, "argv", ["fetch", *folders, *arguments]), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return fetch.main(), out.getvalue(), err.getvalue()

    def held(self):
        mirror = self.folder / "mirror"
        return sorted(path.name for path in mirror.iterdir()) if mirror.exists() else []

    def test_refuses_what_is_reserved_and_fetches_the_rest(self):
        code, out, err = self.fetch("maker/Held-Back", "Maker/gallery")
        self.assertEqual((code, out, err), (1, "Maker/gallery: fetched\n", "maker/Held-Back: reserved, not fetched\n"))
        self.assertEqual(self.held(), ["Maker+gallery"])
        self.assertEqual(list(find_mirrors(self.folder / "mirror")), ["maker/gallery"])

    def test_refuses_a_fork_of_a_reserved_repository(self):
        self.reserve("openai/gallery")
        self.assertEqual(self.fetch("Maker/gallery")[0], 1)
        self.assertEqual(self.held(), [])

    def test_refuses_a_fork_of_an_owner_whom_only_the_list_names(self):
        self.reserve("listed/gallery")
        head = "kind\tlabel\tsource\twhat\trepo\tunder\text\tfiles\tevidence\tlicence\tdate\n"
        listed = self.folder / "list.tsv"
        listed.write_text(f"{head}image\tartificial\tgallery\tFLUX.1-dev\tlisted/other\tout\tpng\t4\t\tMIT\t2024\n")
        self.assertEqual(self.fetch("--list", str(listed), "Maker/gallery")[0], 1)
        self.assertEqual(self.held(), [])

    def test_checks_names_from_the_standard_input_without_fetching(self):
        with patch.object(sys, "stdin", io.StringIO("Maker/gallery\nmaker/held-back\n")):
            self.assertEqual(self.fetch("--check")[:2], (1, "Maker/gallery\n"))
        self.assertEqual(self.held(), [])

    def test_what_is_held_is_not_fetched_again_and_what_did_not_come_leaves_nothing(self):
        self.assertEqual(self.fetch("Maker/gallery")[0], 0)
        self.assertEqual(self.fetch("Maker/gallery")[:2], (0, "Maker/gallery: held\n"))
        code, _, err = self.fetch("Maker/absent")
        self.assertEqual(code, 1)
        self.assertIn("Maker/absent: did not come", err)
        self.assertEqual(self.held(), ["Maker+gallery"])

    def test_without_the_lists_nothing_is_fetched(self):
        (self.folder / "reserved" / "reserved-repositories.sha256").write_text("")
        with self.assertRaisesRegex(ValueError, "expected one SHA-256 a line"):
            self.fetch("Maker/gallery")
        self.assertEqual(self.held(), [])

    def test_a_name_that_is_no_repository_is_refused(self):
        for name in ("gallery", "../gallery/x", "Maker/../x", "Maker/..", "-c/x"):
            with self.assertRaisesRegex(SystemExit, "expected OWNER/NAME"):
                fetch.check_names([name])


if __name__ == "__main__":
    unittest.main()
