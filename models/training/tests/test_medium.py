"""Tests of the parts of medium/ that need no data."""

import sys
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "medium"))
from bounds import describe, fit as fit_bounds, promise, share  # noqa: E402
from head import fit, to_probabilities, weigh  # noqa: E402
from refit import fit as refit, share as share_labels, weigh as weigh_sources  # noqa: E402


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
        marked = [{"owner": owner, "balanced": is_accused} for owner, is_accused in zip("aabc", (True, False, True, False))]
        self.assertEqual((share(marked, "balanced")[0], share(marked, "balanced")[3]), (0.5, 3))
        self.assertEqual(describe(marked, "balanced"), "3 owners")

    def test_too_few_owners_promise_nothing(self):
        self.assertIsNone(promise(rows("abcde", [0.1] * 5), 0.08))
        owners = [str(number) for number in range(20)]
        self.assertEqual(promise(rows(owners, [number / 20 for number in range(20)]), 0.08), 0.951)

    def test_the_bound_of_no_photograph_rises_until_it_holds_for_each_medium(self):
        owners = [str(number) for number in range(120)]
        low, high = [0.1] * 120, [*[0.1] * 102, *[0.9] * 18]
        found = [
            *rows(owners, low, medium="photograph", photograph=0.9), *rows(owners, high, medium="drawing", photograph=0.1),
            *rows(owners, low, medium="render", photograph=0.1), *rows(owners, low, medium="text", photograph=0.1),
        ]
        usual = {"inconclusiveHigh": 0.51, "cautiousThreshold": 0.51}
        other = {"photographBelow": 0.3, "inconclusiveHigh": 0.901, "cautiousThreshold": 0.901}
        self.assertEqual(fit_bounds(found), {**usual, "noPhotograph": other})


class Refit(unittest.TestCase):
    def test_what_came_later_is_learnt_on_top_of_what_is_there(self):
        draw = numpy.random.default_rng(0)
        labels = numpy.arange(400) % 2 == 1
        inputs = draw.normal(size=(400, 6)).astype(numpy.float32)
        inputs[:, 0] += 2 * labels
        before = draw.normal(size=400)
        vector, bias = refit(inputs, before, labels, numpy.ones(400), 0.001)
        right = lambda log_odds: ((log_odds > 0) == labels).mean()  # noqa: E731
        self.assertGreater(right(before + inputs @ vector + bias), right(before) + 0.2)
        self.assertGreater(vector[0], 3 * numpy.abs(vector[1:]).max())

    def test_sources_and_owners_weigh_by_roots_and_labels_alike(self):
        weights = weigh_sources(["a", "a", "a", "a", "b"], ["x", "x", "x", "x", "x"])
        self.assertAlmostEqual(weights[4] / weights[0], 2)
        shares = share_labels(weights, numpy.array([True, True, False, False, False]))
        self.assertAlmostEqual(shares[:2].sum(), 0.5)
        self.assertAlmostEqual(shares.sum(), 1)


if __name__ == "__main__":
    unittest.main()
