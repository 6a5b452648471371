"""Tests of the parts of medium/ that need no data."""

import sys
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "medium"))
from bounds import describe, fit as fit_bounds, promise, share  # noqa: E402
from head import fit, to_probabilities, weigh  # noqa: E402

SHIPPED = {"inconclusiveHigh": 0.7, "cautiousThreshold": 0.95}


def rows(owners, chances, **more):
    return [{"owner": owner, "chance": chance, "tier": tier, **more} for tier in ("clean", "web", "hard") for owner, chance in zip(owners, chances)]


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
    def test_an_owner_weighs_as_another(self):
        marked = [{"owner": owner, "now": is_accused} for owner, is_accused in zip("aabc", (True, False, True, False))]
        self.assertEqual((share(marked, "now")[0], share(marked, "now")[3]), (0.5, 3))
        self.assertEqual(describe(marked, "now"), "3 owners")

    def test_too_few_owners_promise_nothing(self):
        self.assertIsNone(promise(rows("abcde", [0.1] * 5), 0.08))
        owners = [str(number) for number in range(20)]
        self.assertEqual(promise(rows(owners, [number / 20 for number in range(20)]), 0.08), 0.951)

    def test_the_bound_of_no_photograph_rises_until_it_holds_for_each_medium(self):
        owners = [str(number) for number in range(40)]
        low = [0.1] * 40
        high = [*[0.1] * 34, *[0.9] * 6]
        found = [
            *rows(owners, low, medium="photograph", photograph=0.9), *rows(owners, high, medium="drawing", photograph=0.1),
            *rows(owners, low, medium="render", photograph=0.1), *rows(owners, low, medium="text", photograph=0.1),
        ]
        self.assertEqual(fit_bounds(found, SHIPPED), {"photographBelow": 0.2, "inconclusiveHigh": 0.901, "cautiousThreshold": 1})


if __name__ == "__main__":
    unittest.main()
