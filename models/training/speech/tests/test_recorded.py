"""Tests of what is drawn, and how often."""

import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy

sys.path.append(str(Path(__file__).parent.parent))
from recorded import to_chances  # noqa: E402


class Chances(unittest.TestCase):
    def test_labels_count_alike_and_a_page_of_many_systems_by_their_root(self):
        sources = ["human/reader"] * 4 + ["artificial/lonely"] * 4 + [f"artificial/page-{number}" for number in range(4) for _ in range(4)]
        recorded = SimpleNamespace(
            files=sources, sources=numpy.array(sources), is_artificial=numpy.array([name.startswith("artificial") for name in sources]),
            owners=numpy.array([name.split("-")[0] for name in sources]),
        )
        chances = to_chances(recorded, numpy.arange(len(sources)))
        self.assertAlmostEqual(chances[:4].sum(), 0.5)
        self.assertAlmostEqual(chances[8:].sum() / chances[4:8].sum(), 2.0)

    def test_who_is_left_out_is_never_drawn(self):
        sources = numpy.array(["human/a", "human/b", "artificial/c"])
        recorded = SimpleNamespace(files=sources, sources=sources, owners=sources, is_artificial=numpy.array([False, False, True]))
        self.assertEqual(to_chances(recorded, numpy.array([0, 2])).tolist(), [0.5, 0.0, 0.5])


if __name__ == "__main__":
    unittest.main()
