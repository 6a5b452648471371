"""What the graph promises: traces that know JPEG grids, one row of the right length, the appliance's mirror rule."""

import sys
import unittest
from pathlib import Path

import numpy
import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.append(str(HERE.parent.parent))

from decisions import choose_cell_threshold, to_overlap  # noqa: E402
from evidence_network import make_network  # noqa: E402
from export import pick_evenly  # noqa: E402
from histories import encode_jpeg  # noqa: E402
from extract import SIDE_PX  # noqa: E402
from metrics import fit_platt  # noqa: E402
from shipped import TILE_PX, Shipped, fill_up, to_mirrored  # noqa: E402
from traces import CELL_PX, GridTraces, ResidualTraces, Traces, mirrored_channels  # noqa: E402


NO_PRIOR = [[0.0] * (TILE_PX // CELL_PX)] * (TILE_PX // CELL_PX)


def to_luma(pixels):
    return torch.from_numpy(pixels.astype(numpy.float32).mean(axis=2))[None, None]


class Graph(unittest.TestCase):
    def test_the_grid_of_a_jpeg_is_seen_in_its_phase(self):
        noise = numpy.random.default_rng(1).integers(0, 256, (128, 128, 3), dtype=numpy.uint8)
        jpeg = encode_jpeg(noise, 30, 0)
        view = GridTraces()
        for shift in (0, 3):
            moved = numpy.roll(jpeg, shift, axis=1)
            by_phase = view(to_luma(moved))[0, 16 // 2 : 16, 4:12, 4:12].mean(dim=(1, 2))
            strongest = int(by_phase.argmax())
            # Three differences lie across the edge between two blocks: before, on and after it.
            self.assertIn((strongest - shift) % CELL_PX, (6, 7, 0), f"shift {shift}: phase {strongest}")

    def test_one_row_per_tile(self):
        networks = [make_network().eval() for _ in range(2)]
        shipped = Shipped(networks, (1.0, 0.0), NO_PRIOR, (1.0, 0.0)).eval()
        with torch.no_grad():
            row = shipped(torch.rand(1, 3, TILE_PX, TILE_PX))
        self.assertEqual(tuple(row.shape), (1, 1 + 2 * (TILE_PX // CELL_PX) ** 2))
        self.assertTrue(torch.isfinite(row).all())

    def test_any_size_of_whole_cells_goes_through(self):
        traces, network = Traces().eval(), make_network().eval()
        with torch.no_grad():
            for height, width in ((128, 176), (176, 240)):
                logit, cells, trust = network(traces(torch.rand(2, 3, height, width)))
                self.assertEqual(tuple(logit.shape), (2,))
                self.assertEqual(tuple(cells.shape), (2, height // CELL_PX, width // CELL_PX))
                self.assertEqual(cells.shape, trust.shape)

    def test_a_tile_is_what_was_trained_on(self):
        network = make_network().eval()
        traces, pixels = Traces(), torch.rand(1, 3, TILE_PX, TILE_PX)
        with torch.no_grad():
            logit, cells, _ = network(traces(pixels))
            row = Shipped([network], (2.0, 0.5), NO_PRIOR, (1.0, 0.0)).eval()(pixels)[0]
        self.assertAlmostEqual(float(row[0]), 2 * float(logit) + 0.5, places=4)
        self.assertLess(float((row[1 : 1 + cells.numel()] - cells.flatten()).abs().max()), 1e-4)
        self.assertEqual(TILE_PX, SIDE_PX)

    def test_mirroring_traces_is_mirroring_pixels(self):
        pixels = encode_jpeg(numpy.random.default_rng(4).integers(0, 256, (96, 96, 3), dtype=numpy.uint8), 60, 0)
        traces, start = Traces(), ResidualTraces().width

        def describe(picture):
            values = torch.from_numpy(picture.copy()).permute(2, 0, 1).float().div_(255)[None]
            return traces(values).numpy()

        for across, flipped in ((True, pixels[:, ::-1]), (False, pixels[::-1])):
            moved = numpy.flip(describe(pixels), -1 if across else -2)[:, mirrored_channels(across)]
            true = describe(flipped)
            # The last edge of a cell is the first of the next one once it is mirrored.
            phases = [start + block + phase for block in range(0, 32, CELL_PX) for phase in range(CELL_PX - 1)]
            inside = (slice(None), phases, slice(4, -4), slice(4, -4))
            self.assertLess(float(numpy.abs(moved[inside] - true[inside]).mean()), 0.02, across)

    def test_the_mirror_rule_is_the_appliances(self):
        self.assertEqual([to_mirrored(21)[index] for index in (15, 16, 17, 31)], [15, 15, 14, 0])
        self.assertEqual([to_mirrored(5)[index] for index in (4, 5, 9, 10)], [4, 4, 0, 0])
        self.assertEqual(fill_up(numpy.zeros((40, 400, 3), dtype=numpy.uint8)).shape, (TILE_PX, 400, 3))

    def test_golden_outputs_are_picked_as_the_appliance_does(self):
        self.assertEqual(pick_evenly(list(range(10)), 4), [0, 2, 5, 7])


class Decisions(unittest.TestCase):
    def test_overlap(self):
        truth = numpy.array([[[True, True], [False, False]]])
        self.assertEqual(to_overlap(truth, truth).tolist(), [1.0])
        self.assertEqual(to_overlap(~truth, truth).tolist(), [0.0])
        self.assertAlmostEqual(to_overlap(numpy.ones_like(truth), truth)[0], 2 / 3)

    def test_a_line_is_found_for_logits_of_any_size(self):
        rng = numpy.random.default_rng(1)
        is_edited = rng.random(4000) < 0.5
        # Half of the edits are plain: their logits lie far out, the others' among the authentic ones'.
        logits = rng.normal(-1, 1.2, 4000) + is_edited * (rng.random(4000) < 0.5) * rng.uniform(2, 14, 4000)
        for size in (0.1, 1, 10):
            slope, _ = fit_platt(logits * size, is_edited, numpy.ones(4000))
            self.assertTrue(0.1 < slope * size < 2, (size, slope))

    def test_the_threshold_of_the_best_overlap(self):
        truth = numpy.array([[[True, False], [False, False]]])
        self.assertGreater(choose_cell_threshold(numpy.array([[[0.9, 0.6], [0.1, 0.1]]]), truth), 0.6)


if __name__ == "__main__":
    unittest.main()
