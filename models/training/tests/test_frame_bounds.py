"""Bounds of frames come of human clips alone, and of the tier that accuses more."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from frame_bounds import TIERS, Clips  # noqa: E402


class FrameBounds(unittest.TestCase):
    def read(self, probability_of):
        """Clips of 40 human sources, two of which the corpus lists under one owner, and of 10 artificial ones."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "video.tsv").write_text("source\trepository\nh0\tMaker/one\nh1\tmaker/two\n")
        named = [(f"h{number}", "human") for number in range(40)] + [(f"a{number}", "artificial") for number in range(10)]
        said = [
            {"path": f"{source}.mp4", "tier": tier, "label": label, "source": source, "probability": probability_of(source, tier)}
            for source, label in named for tier in TIERS
        ]
        (folder / "journal.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in [{"about": "head"}, *said]))
        return Clips(folder / "journal.jsonl", folder / "video.tsv")

    def test_sources_of_one_repository_owner_are_one_owner(self):
        clips = self.read(lambda source, tier: 0.1)
        self.assertEqual(len(set(clips.owners[~clips.labels])), 39)

    def test_the_tier_that_accuses_more_bounds(self):
        low = self.read(lambda source, tier: int(source[1:]) / 50)
        high = self.read(lambda source, tier: int(source[1:]) / 50 + (0.1 if tier == "recompressed" else 0))
        every = numpy.ones(len(low.labels), dtype=bool)
        self.assertAlmostEqual(high.fit(every)[1] - low.fit(every)[1], 0.1, places=5)

    def test_artificial_clips_move_no_bound(self):
        one = self.read(lambda source, tier: 0.2 if source[0] == "a" else int(source[1:]) / 50)
        other = self.read(lambda source, tier: 0.99 if source[0] == "a" else int(source[1:]) / 50)
        every = numpy.ones(len(one.labels), dtype=bool)
        self.assertEqual(one.fit(every), other.fit(every))

    def test_a_clip_without_an_answer_in_one_tier_is_left_out(self):
        clips = self.read(lambda source, tier: None if source == "h5" and tier == "recompressed" else 0.1)
        self.assertEqual(len(clips.labels), 49)


if __name__ == "__main__":
    unittest.main()
