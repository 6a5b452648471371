"""Samples are repeatable, edited only where the mask says, and blind to the class in everything but the edit."""

import inspect
import sys
import unittest
from collections import Counter
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.append(str(HERE.parent.parent))

import histories  # noqa: E402
from manipulations import KINDS, MANIPULATIONS, fill_smoothly  # noqa: E402
from masks import AREA_SHARE_MAX, AREA_SHARE_MIN, draw_mask, keep_window  # noqa: E402
from samples import AUTHENTIC, edit, make_sample, to_cells  # noqa: E402

SIDE = 192
WINDOW = (8, 8, 176)
FEATHER_REACH_PX = 10
MASK_COUNT = 3000


def make_blank():
    return numpy.zeros((SIDE, SIDE, 3), dtype=numpy.uint8)


def make_picture(seed):
    rng = numpy.random.default_rng(seed)
    y, x = numpy.indices((SIDE, SIDE))
    slope = 60 + 100 * numpy.sin(x / (7 + seed)) * numpy.cos(y / 11)
    return numpy.clip(slope[:, :, None] + rng.normal(0, 6, (SIDE, SIDE, 3)), 0, 255).astype(numpy.uint8)


class Samples(unittest.TestCase):
    def test_a_sample_can_be_made_again(self):
        host, donor = make_picture(1), make_picture(2)
        for kind in (AUTHENTIC, *KINDS):
            for side in (176, 128):
                with self.subTest(kind=kind, side=side):
                    made = [make_sample(host, donor, kind, side, numpy.random.default_rng(5)) for _ in range(2)]
                    self.assertEqual(made[0].pixels.shape, (side, side, 3))
                    self.assertTrue(numpy.array_equal(made[0].pixels, made[1].pixels))
                    self.assertEqual(made[0].mask.any(), kind != AUTHENTIC)

    def test_an_edit_changes_its_region_and_no_more(self):
        host, donor = make_picture(1), make_picture(2)
        for kind in KINDS:
            for seed in range(10):
                with self.subTest(kind=kind, seed=seed):
                    edited, mask = edit(host, WINDOW, donor, kind, numpy.random.default_rng(seed))
                    changed = (edited != host).any(axis=2)
                    self.assertTrue(changed[mask].any())
                    rows, columns = numpy.nonzero(mask)
                    box = slice(max(0, rows.min() - FEATHER_REACH_PX), rows.max() + FEATHER_REACH_PX)
                    self.assertFalse(changed[: box.start].any() or changed[box.stop :].any())
                    self.assertLess(columns.max() - columns.min(), SIDE)

    def test_a_flat_host_still_gets_an_edit(self):
        flat = numpy.full((SIDE, SIDE, 3), 128, dtype=numpy.uint8)
        for kind in KINDS:
            sample = make_sample(flat, flat, kind, 176, numpy.random.default_rng(3))
            self.assertTrue(sample.mask.any())

    def test_no_history_knows_the_class(self):
        for function in (histories.age, histories.draw_export, histories.export_together, histories.encode_finally):
            names = set(inspect.signature(function).parameters)
            self.assertLessEqual(names, {"pixels", "shape", "mask", "export", "side_px", "rng"})

    def test_both_classes_are_saved_alike(self):
        host, donor = make_picture(1), make_picture(2)
        shares = []
        for kind in (AUTHENTIC, "splice"):
            rng = numpy.random.default_rng(7)
            qualities = [make_sample(host, donor, kind, 128, rng).quality for _ in range(150)]
            groups = Counter("lossless" if q == 100 else "webp" if q < 0 else "jpeg" for q in qualities)
            shares.append({name: groups[name] / len(qualities) for name in ("lossless", "webp", "jpeg")})
        for name, share in shares[0].items():
            self.assertLess(abs(share - shares[1][name]), 0.16, (name, shares))

    def test_masks_are_of_the_size_asked_for(self):
        for seed in range(60):
            mask = draw_mask((SIDE, SIDE), WINDOW, numpy.random.default_rng(seed))
            share = keep_window(mask, WINDOW).sum() / WINDOW[2] ** 2
            self.assertTrue(AREA_SHARE_MIN <= share <= AREA_SHARE_MAX, share)

    def test_edits_lie_anywhere(self):
        rng, total, at_border = numpy.random.default_rng(1), 0, 0
        for _ in range(MASK_COUNT):
            export = histories.draw_export((SIDE, SIDE), 176, rng)
            mask = draw_mask((SIDE, SIDE), export.window, rng)
            cells = to_cells(histories.export_together(make_blank(), mask, export)[1])
            at_border += bool((cells >= 0.5)[[0, -1]].any() or (cells >= 0.5)[:, [0, -1]].any())
            total = total + (cells + cells[::-1] + cells[:, ::-1] + cells[::-1, ::-1]) / 4
        share = total / total.mean()
        self.assertTrue(0.75 < share.min() and share.max() < 1.25, (share.min(), share.max()))
        self.assertGreater(at_border, MASK_COUNT / 3)

    def test_cells_are_shares(self):
        mask = numpy.zeros((16, 16), dtype=bool)
        mask[:8, :4] = True
        self.assertEqual(to_cells(mask).tolist(), [[0.5, 0.0], [0.0, 0.0]])

    def test_the_fill_continues_its_surroundings(self):
        values = numpy.full((64, 64, 3), 90, dtype=numpy.float32)
        mask = numpy.zeros((64, 64), dtype=bool)
        mask[20:40, 20:40] = True
        values[mask] = 255
        self.assertLess(numpy.abs(fill_smoothly(values, mask) - 90).max(), 0.5)

    def test_every_kind_has_a_function(self):
        self.assertEqual(set(MANIPULATIONS), set(KINDS))


if __name__ == "__main__":
    unittest.main()
