"""Two patches of one picture stand beside each other where they have to agree, and what they say apart is what is counted."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy
import torch

from traces.tune import BATCH_COUNT, Sampler, measure_disagreement


class Agreement(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for label in ("human", "artificial"):
            for owner in ("", "someone"):
                self.write_source(f"{label}-{owner or 'older'}", label, owner)
        self.sampler = Sampler(self.folder, fold=None, by="owners", source_count=100)

    def write_source(self, name, label, owner):
        """Two pictures of three patches; every token of a patch is the number of its picture."""
        described = {"label": label, "source": name, "owner": owner, "group": "", "family": ""}
        files = [file for file in ("1.png", "2.png") for _ in range(3)]
        (self.folder / f"{name}.json").write_text(json.dumps(described | {"patches": [[file, "learnt", 0.0] for file in files]}))
        numbers = numpy.array([float(file[0]) for file in files], dtype=numpy.float16)
        numpy.save(self.folder / f"{name}.npy", numpy.broadcast_to(numbers[:, None, None], (len(files), 2, 2)))

    def test_a_pair_is_of_one_picture_and_of_one_label(self):
        rng = numpy.random.default_rng(1)
        for _ in range(10):
            tokens, labels = self.sampler.make_batch(rng, each=2)
            self.assertEqual(len(tokens), BATCH_COUNT)
            self.assertTrue(torch.equal(tokens[0::2], tokens[1::2]))
            self.assertTrue(torch.equal(labels[0::2], labels[1::2]))
            self.assertEqual(labels.sum().item(), BATCH_COUNT / 2)

    def test_patches_stand_alone_where_none_have_to_agree(self):
        tokens, labels = self.sampler.make_batch(numpy.random.default_rng(1))
        self.assertEqual(labels.tolist(), [0.0, 1.0] * (BATCH_COUNT // 2))
        self.assertFalse(torch.equal(tokens[0::2], tokens[1::2]))

    def test_only_what_a_pair_says_apart_counts(self):
        self.assertEqual(measure_disagreement(torch.tensor([3.0, 3.0, -8.0, -8.0])).item(), 0.0)
        self.assertEqual(measure_disagreement(torch.tensor([1.0, 3.0, 5.0, 5.0])).item(), 2.0)


if __name__ == "__main__":
    unittest.main()
