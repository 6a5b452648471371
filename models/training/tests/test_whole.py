"""Training of all blocks: what is cut, what is drawn, what a left-out fold cannot move."""

import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

import numpy
import torch
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "traces"))
from chances import Regions, decode_shard  # noqa: E402
from regions import GRID_PX, REGION_SIDE, Shards, choose_regions, cut_native  # noqa: E402
from train import Run  # noqa: E402
from vision_transformer import FEATURES_PER_TAP, TOKEN_SIDE, WIDTH, Block  # noqa: E402
from network import MAPS, NORMS, OpenBlock, WholeNetwork  # noqa: E402


def make_stored(depth=2, seed=1):
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator) * 0.05

    stored = {"kernel": draw(WIDTH, 3, TOKEN_SIDE, TOKEN_SIDE), "bias": draw(WIDTH), "positions": draw(1, 81, WIDTH), "class_token": draw(1, 1, WIDTH)}
    shapes = {"rise": (4 * WIDTH, WIDTH), "fall": (WIDTH, 4 * WIDTH)}
    for number in range(depth):
        for name in MAPS:
            shape = shapes.get(name, (WIDTH, WIDTH))
            stored[f"blocks.{number}.parts.{name}_weight"], stored[f"blocks.{number}.parts.{name}_bias"] = draw(*shape), draw(shape[0])
        for name in NORMS:
            stored[f"blocks.{number}.parts.{name}_weight"], stored[f"blocks.{number}.parts.{name}_bias"] = 1 + draw(WIDTH), draw(WIDTH)
        stored[f"blocks.{number}.scale1"], stored[f"blocks.{number}.scale2"] = draw(WIDTH), draw(WIDTH)
    for tap in (1, 2):
        stored |= {
            f"heads.{tap}.centre": draw(FEATURES_PER_TAP), f"heads.{tap}.scale": 1 + draw(FEATURES_PER_TAP),
            f"heads.{tap}.weight": draw(1, FEATURES_PER_TAP), f"heads.{tap}.bias": draw(1), f"heads.{tap}.deviation": torch.tensor(1.5),
        }
    return stored


def make_noise(width, height, seed=0):
    return Image.fromarray(numpy.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=numpy.uint8))


class OpenBlocks(unittest.TestCase):
    def test_an_open_block_computes_what_the_shipped_block_does(self):
        stored = make_stored(1)
        names = {"query": "attention.attention.query", "key": "attention.attention.key", "value": "attention.attention.value",
                 "output": "attention.output.dense", "rise": "mlp.fc1", "fall": "mlp.fc2", "norm1": "norm1", "norm2": "norm2"}
        weights = {f"x.{path}.{kind}": stored[f"blocks.0.parts.{name}_{kind}"] for name, path in names.items() for kind in ("weight", "bias")}
        weights |= {"x.layer_scale1.lambda1": stored["blocks.0.scale1"], "x.layer_scale2.lambda1": stored["blocks.0.scale2"]}
        tokens = torch.randn(2, 82, WIDTH, generator=torch.Generator().manual_seed(3))
        with torch.no_grad():
            difference = (Block(weights, "x.")(tokens) - OpenBlock(stored, "blocks.0.")(tokens)).abs().max()
        self.assertLess(float(difference), 1e-4)

    def test_a_patch_of_the_fold_that_is_left_out_moves_nothing(self):
        patches = torch.from_numpy(numpy.random.default_rng(5).integers(0, 256, (4, 128, 128, 3), dtype=numpy.uint8))
        kept = torch.arange(0, 81, 2)
        moved = []
        for labels in ([1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]):
            run = Run("x", {"fold": 2, "taps": [1, 2]}, make_stored(), torch.device("cpu"))
            run.take_step(patches, torch.tensor(labels), torch.tensor([-1, 0, 2, 2]), kept)
            moved.append(torch.cat([one.flatten() for one in run.network.parameters()]))
        self.assertTrue(torch.equal(*moved))
        first = torch.cat([one.flatten() for one in WholeNetwork(make_stored(), (1, 2)).parameters()])
        self.assertFalse(torch.equal(first, moved[0]))

    def test_lower_blocks_may_stay(self):
        run = Run("x", {"taps": [1, 2], "first_block": 1}, make_stored(), torch.device("cpu"))
        before = [one.clone() for one in (*run.network.blocks[0].parameters(), run.network.kernel)]
        patches = torch.from_numpy(numpy.random.default_rng(5).integers(0, 256, (2, 128, 128, 3), dtype=numpy.uint8))
        run.take_step(patches, torch.tensor([1.0, 0.0]), torch.tensor([-1, -1]), torch.arange(81))
        after = (*run.network.blocks[0].parameters(), run.network.kernel)
        self.assertTrue(all(torch.equal(one, other) for one, other in zip(before, after)))


class RegionsOfPictures(unittest.TestCase):
    def test_regions_lie_inside_and_on_the_grid(self):
        for size in ((128, 700), (640, 480), (200, 131)):
            for left, top, width, height in choose_regions(make_noise(*size), 3, numpy.random.default_rng(1)):
                self.assertEqual((left % GRID_PX, top % GRID_PX), (0, 0))
                self.assertLessEqual((left + width, top + height), size)
                self.assertTrue(128 <= width <= REGION_SIDE and 128 <= height <= REGION_SIDE)

    def test_a_jpeg_is_cut_without_another_loss(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "one.jpg"
            make_noise(320, 320).save(path, "JPEG", quality=80, subsampling=2)
            whole = Image.open(path).convert("RGB")
            part = Image.open(io.BytesIO(cut_native(path, whole, True, (32, 64, 224, 224)))).convert("RGB")
            # Chroma of the border is interpolated across it.
            inner = numpy.s_[4:-4, 4:-4]
            expected = numpy.asarray(whole.crop((32, 64, 256, 288)))
            self.assertTrue(numpy.array_equal(numpy.asarray(part)[inner], expected[inner]))

    def test_what_is_drawn_comes_from_the_shards(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shards = Shards(folder)
            for label in ("human", "artificial"):
                for owner, kind in (("", "crop"), ("one", "native"), ("one", "web"), ("one", "hard")):
                    body = io.BytesIO()
                    make_noise(192, 192).save(body, "PNG")
                    shards.add({"label": label, "source": label, "owner": owner, "group": "", "family": "", "fold": 1 if owner else None, "rank": 0,
                                "kind": kind, "jpeg": False, "picture": "x.png"}, body.getvalue())
            shards.close()
            (folder / "decoded").mkdir()
            decode_shard(folder / "shard-00.json", folder / "decoded", 1)
            regions, rng = Regions(folder / "decoded"), numpy.random.default_rng(2)
            drawn = [regions.draw(rng) for _ in range(60)]
            self.assertEqual({patch.shape for patch, _, _ in drawn}, {(128, 128, 3)})
            self.assertEqual({(bool(label), fold) for _, label, fold in drawn}, {(True, -1), (True, 1), (False, -1), (False, 1)})
            judged = regions.list_judged()
            self.assertEqual(set(judged), {(1, "clean"), (1, "web"), (1, "hard")})
            self.assertEqual(judged[1, "clean"][0][1].shape, (4, 128, 128, 3))
            self.assertEqual(len(json.loads((folder / "shard-00.json").read_text())), 8)


if __name__ == "__main__":
    unittest.main()
