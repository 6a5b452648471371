"""Tests of the parts of medium/ that need no data."""

import sys
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "medium"))
from bounds import describe, promise, share  # noqa: E402
from head import fit, to_probabilities, weigh  # noqa: E402


def rows(owners, chances):
    return [{"owner": owner, "chance": chance} for owner, chance in zip(owners, chances)]


class Head(unittest.TestCase):
    def test_media_weigh_alike_and_owners_by_the_root_of_their_pictures(self):
        weights = weigh(numpy.array(["a", "a", "a", "a", "b", "c"]), numpy.array([0, 0, 0, 0, 0, 1]), 2)
        self.assertAlmostEqual(weights[:5].sum(), 0.5)
        self.assertAlmostEqual(weights[:4].sum() / weights[4], 2)

    def test_a_mean_of_answers_is_the_answer_of_the_mean(self):
        draw = numpy.random.default_rng(0)
        labels = numpy.arange(60) % 3
        features = (draw.normal(size=(60, 8)) + 3 * numpy.eye(3, 8)[labels]).astype(numpy.float32)
        matrix, bias = fit(features, labels, numpy.full(60, 1 / 60), 3, 0.01)
        logits = features @ matrix + bias
        self.assertGreater((to_probabilities(logits).argmax(axis=1) == labels).mean(), 0.9)
        numpy.testing.assert_allclose(logits.mean(axis=0), features.mean(axis=0) @ matrix + bias, atol=1e-4)


class Bounds(unittest.TestCase):
    def test_an_owner_weighs_as_another_and_what_is_refused_is_not_called(self):
        self.assertEqual(share(rows("aabc", (0.9, None, 0.9, 0.1)), 0.8), (0.5, 3))

    def test_too_few_owners_promise_nothing(self):
        self.assertEqual(promise(rows("abcde", [0.1] * 5), 0.08), (None, "5 of 12 owners"))
        bound, shown = promise(rows([str(number) for number in range(20)], [number / 20 for number in range(20)]), 0.08)
        self.assertGreater(bound, 0.9)
        self.assertEqual(shown, f"{bound:.3f}")

    def test_of_few_owners_no_share_is_shown(self):
        self.assertEqual(describe(rows("abc", [0.9] * 3), 0.5), "3 owners")


if __name__ == "__main__":
    unittest.main()
