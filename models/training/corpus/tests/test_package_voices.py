"""Recordings out of Debian's packages (package_voices.py)."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from package_voices import choose_prompts, find_prompts, read_table, seconds_of, take_source  # noqa: E402


class PackageVoices(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name)

    def tearDown(self):
        self.place.cleanup()

    def make_prompt(self, path, seconds, *flags):
        target = self.folder / "packages" / "prompts" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        sound = ("-f", "lavfi", "-i", f"sine=frequency=300:sample_rate=8000:duration={seconds}")
        subprocess.run(("ffmpeg", "-v", "error", *sound, *flags, target), check=True)

    def test_each_source_of_the_table_stands_once(self):
        rows = read_table()
        self.assertEqual(len({row["source"] for row in rows}), len(rows))
        for row in rows:
            self.assertTrue(all(row.values()), row)

    def test_prompts_are_drawn_by_the_name_and_none_twice(self):
        prompts = list(range(100))
        first, second = choose_prompts("one", prompts)
        self.assertEqual((len(first), len(second)), (40, 40))
        self.assertFalse(set(first) & set(second))
        self.assertEqual(choose_prompts("one", prompts), [first, second])
        self.assertNotEqual(choose_prompts("another", prompts), [first, second])
        self.assertEqual(choose_prompts("one", [1]), [[1]])

    @unittest.skipIf(shutil.which("ffmpeg") is None, "ffmpeg is not on this machine")
    def test_prompts_with_and_without_a_header_become_files(self):
        for number in range(4):
            self.make_prompt(f"sounds/it's {number}.wav", 3)
            self.make_prompt(f"sounds/{number}.raw", 3, "-f", "s16le")
        for form in ("wav", "raw"):
            row = {"source": form, "package": "prompts", "pattern": rf"/sounds/.*\.{form}$"}
            self.assertEqual(take_source(row, self.folder / "packages", self.folder / "out"), 2)
            self.assertAlmostEqual(seconds_of(self.folder / "out" / "human" / form / "0.flac"), 6, places=1)

    def test_what_is_missing_is_named(self):
        row = {"source": "x", "package": "prompts", "pattern": "x"}
        with self.assertRaisesRegex(SystemExit, "expected the unpacked package"):
            take_source(row, self.folder / "packages", self.folder)
        (self.folder / "packages" / "prompts").mkdir(parents=True)
        self.assertEqual(find_prompts(self.folder / "packages" / "prompts", "x"), [])
        with self.assertRaisesRegex(SystemExit, "no file of prompts matches"):
            take_source(row, self.folder / "packages", self.folder)
