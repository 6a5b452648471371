"""What the upper blocks are trained with: the same block, and folds that do not hang on which files are there (traces/)."""

import csv
import tempfile
import unittest
from pathlib import Path

import torch

from traces.folds import assign_folds
from traces.index import list_corpus
from traces.upper import TrainedBlock
from vision_transformer import TOKENS_PER_SIDE, WIDTH, Block

PREFIX = "encoder.layer.6."
MAPS = {
    "attention.attention.query": (WIDTH, WIDTH), "attention.attention.key": (WIDTH, WIDTH), "attention.attention.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH), "mlp.fc1": (4 * WIDTH, WIDTH), "mlp.fc2": (WIDTH, 4 * WIDTH), "norm1": (WIDTH,), "norm2": (WIDTH,),
}


def make_weights():
    torch.manual_seed(1)
    weights = {f"{PREFIX}layer_scale{number}.lambda1": torch.rand(WIDTH) for number in (1, 2)}
    for name, shape in MAPS.items():
        weights[f"{PREFIX}{name}.weight"] = torch.randn(shape) * 0.05
        weights[f"{PREFIX}{name}.bias"] = torch.randn(shape[0]) * 0.05
    return weights


class Upper(unittest.TestCase):
    @unittest.skipUnless(hasattr(torch.nn.functional, "scaled_dot_product_attention"), "needs torch 2")
    def test_the_trained_block_is_the_shipped_one(self):
        weights = make_weights()
        tokens = torch.randn(2, 1 + TOKENS_PER_SIDE**2, WIDTH)
        shipped, trained = Block(weights, PREFIX)(tokens), TrainedBlock(weights, PREFIX)(tokens)
        self.assertLess((shipped - trained).abs().max().item(), 1e-4)
        self.assertEqual(TrainedBlock(weights, PREFIX)(tokens[:, :42]).shape, (2, 42, WIDTH))

    def test_an_owner_keeps_its_fold_where_files_of_those_joined_with_it_are_absent(self):
        rows = [
            {"harvest": "inside", "label": "human", "repository": f"owner-{index}/r", "group": f"scene-{index // 2}", "file": "f", "family": "", "source": "s"}
            for index in range(40)
        ] + [{"harvest": "inside", "label": "human", "repository": "owner-7/r", "group": "scene-1", "file": "f", "family": "", "source": "s"}]
        with tempfile.TemporaryDirectory() as folder:
            manifest = Path(folder) / "image.tsv"
            with open(manifest, "w", newline="", encoding="utf-8") as stream:
                writer = csv.DictWriter(stream, rows[0], delimiter="\t")
                writer.writeheader()
                writer.writerows(rows)
            listed = list(list_corpus(manifest, Path(folder), "inside"))
        whole = assign_folds(listed)
        for kept in (slice(0, 20), slice(20, 41), slice(5, 8)):
            self.assertEqual(assign_folds(listed[kept]), whole[kept])


if __name__ == "__main__":
    unittest.main()
