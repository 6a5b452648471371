"""The balance of languages between people and systems."""

import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from languages import balance_languages  # noqa: E402


def make_rows(described):
    """`described`: (label, language, source), one a row."""
    labels, languages, sources = zip(*described)
    return SimpleNamespace(
        is_artificial=numpy.array([label == "artificial" for label in labels]),
        languages=numpy.array(languages), sources=numpy.array(sources),
    )


class BalanceTest(unittest.TestCase):
    def setUp(self):
        english = [("artificial", "English", f"a{number}") for number in range(8)] + [("human", "English", "h0")]
        others = [("human", "Korean", f"k{number}") for number in range(6)] + [("artificial", "Hindi", "b0")]
        self.rows = make_rows(english + others + [("human", "unknown", "u0"), ("artificial", "unknown", "u1")])
        self.weights = balance_languages(self.rows, numpy.arange(len(self.rows.sources)))

    def share(self, language_is, artificial):
        return self.weights[language_is & (self.rows.is_artificial == artificial)].sum()

    def test_labels_weigh_the_same_on_the_whole(self):
        self.assertAlmostEqual(self.weights[self.rows.is_artificial].sum(), 0.5)
        self.assertAlmostEqual(self.weights[~self.rows.is_artificial].sum(), 0.5)

    def test_labels_weigh_nearly_the_same_in_english_and_in_the_others(self):
        english = self.rows.languages == "English"
        others = ~english & (self.rows.languages != "unknown")
        for group in (english, others):
            ratio = self.share(group, True) / self.share(group, False)
            self.assertTrue(0.8 < ratio < 1.25, ratio)

    def test_a_group_with_one_label_alone_keeps_its_weights(self):
        rows = make_rows([("human", "Korean", "k"), ("human", "unknown", "u"), ("artificial", "unknown", "a")])
        self.assertEqual(balance_languages(rows, numpy.arange(3)).round(6).tolist(), [0.25, 0.25, 0.5])


if __name__ == "__main__":
    unittest.main()
