"""What the whole pictures promise: an edit lies where its mask says, its twin has the same history, figures know their answer."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.append(str(HERE.parent.parent))

from fit_pictures import FEATURES, describe_head  # noqa: E402
from linear import fit_head  # noqa: E402
from manipulations import KINDS  # noqa: E402
from whole_edits import (  # noqa: E402
    AREA_SHARE_MAX, EDIT_SIDE_MIN, TIERS, draw_ending, draw_region, edit_picture, fit_donor,
)
from whole_figures import JOURNAL_FILE, Answers, measure_with_intervals, widen  # noqa: E402


def make_picture(seed, height=300, width=420):
    rng = numpy.random.default_rng(seed)
    coarse = rng.integers(40, 215, (height // 10, width // 10, 3)).repeat(10, axis=0).repeat(10, axis=1)
    return (coarse + rng.integers(-9, 10, (height, width, 3))).astype(numpy.uint8)


class Edits(unittest.TestCase):
    def test_regions_reach_from_sixty_pixels_to_a_third(self):
        rng = numpy.random.default_rng(1)
        shares = [draw_region((300, 420, 3), rng).mean() for _ in range(60)]
        self.assertLessEqual(max(shares), AREA_SHARE_MAX)
        self.assertGreater(max(shares), 0.15)
        self.assertLess(min(shares), 2 * EDIT_SIDE_MIN**2 / (300 * 420))

    def test_an_edit_changes_its_region_and_hardly_anything_else(self):
        for kind in KINDS:
            before = make_picture(1)
            edited, mask = edit_picture(before, make_picture(2), kind, numpy.random.default_rng(3))
            change = numpy.abs(edited.astype(int) - before).max(axis=2)
            self.assertGreater((change[mask] > 0).mean(), 0.5, kind)
            self.assertLess((change[~mask] > 0).mean(), 0.12, kind)

    def test_a_small_donor_is_grown(self):
        mask = numpy.zeros((300, 420), dtype=bool)
        mask[10:210, 20:320] = True
        part = fit_donor(make_picture(2, 100, 100), mask, numpy.random.default_rng(1))
        self.assertEqual(part.shape, (320, 480, 3))

    def test_twins_get_the_same_ending(self):
        rng = numpy.random.default_rng(5)
        picture = make_picture(1)
        for tier in TIERS:
            ending = draw_ending(tier, picture.shape, rng)
            numpy.testing.assert_array_equal(ending.apply(picture), ending.apply(picture.copy()))

    def test_the_mask_is_scaled_with_the_picture(self):
        picture, mask = make_picture(1), numpy.zeros((300, 420), dtype=bool)
        mask[:150] = True
        for seed in range(4):
            ending = draw_ending("resized", picture.shape, numpy.random.default_rng(seed))
            left = ending.apply(picture)
            scaled = numpy.asarray(ending.apply_to_mask(mask, left.shape))
            self.assertEqual(scaled.shape, left.shape[:2])
            self.assertAlmostEqual((scaled > 127).mean(), 0.5, delta=0.02)


class Weights(unittest.TestCase):
    def test_what_is_written_gives_what_was_fitted(self):
        rng = numpy.random.default_rng(1)
        is_edited = numpy.arange(200) % 2 == 0
        features = rng.normal(3, 2, (200, len(FEATURES))).astype(numpy.float32)
        features[is_edited, 2] += 3
        head = fit_head(features, is_edited, numpy.full(200, 1 / 200))
        written = describe_head(head)
        parts = [written["features"][name] for name in FEATURES]
        columns = zip(features.T, parts)
        logits = written["intercept"] + sum(
            part["weight"] * numpy.clip((column - part["centre"]) / part["deviation"], -5, 5) for column, part in columns
        )
        import torch

        numpy.testing.assert_allclose(logits, head(torch.from_numpy(features)).numpy(), atol=1e-3)
        self.assertGreater(logits[is_edited].mean(), logits[~is_edited].mean() + 1)


class Figures(unittest.TestCase):
    def test_figures_of_answers_that_are_known(self):
        index, lines = {}, [{"about": "nothing"}]
        for number in range(80):
            edited = number % 2 == 0
            path = f"{'edited' if edited else 'human'}/{number // 2}.png"
            index[path] = {"source": f"s{number // 2 % 20}", "tier": "clean", "kind": "human", "edit": "splice" if edited else "authentic", "side": "100"}
            lines.append({
                "path": path, "label": "artificial" if edited else "human", "probability": 0.9 if edited else 0.2,
                "state": "artificial" if edited else "human",
                "localisation": {"edited": 0.1 if edited else 0, "called": [0.1] * 4, "hit": [0.05 if edited else 0] * 4},
            })
        index["edited/alone.png"] = index["edited/0.png"]
        lines.append({**lines[1], "path": "edited/alone.png", "probability": 0.01, "state": "human"})
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / JOURNAL_FILE).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
            answers = Answers(Path(folder), index)
        self.assertEqual(len(answers.lines), 80, "an edit without its twin is left out")
        measured = measure_with_intervals(answers, numpy.ones(80, dtype=bool), 0.7)
        self.assertEqual(measured["figures"]["auc"], 1)
        self.assertAlmostEqual(measured["figures"]["pixelF1"], 0.5)
        self.assertEqual(measured["figures"]["falseAlarmRateCautious"], 0)
        # Twenty sources without an alarm do not show that there is none.
        self.assertGreater(measured["intervals"]["falseAlarmRateCautious"][1], 0.1)

    def test_intervals_are_no_narrower_than_so_few_can_show(self):
        low, high = widen((0.5, 0.5), 0.5, 10)
        self.assertLess(low, 0.3)
        self.assertGreater(high, 0.7)


if __name__ == "__main__":
    unittest.main()
