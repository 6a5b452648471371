"""No source may lie in two folds, and nobody trains on a speaker or a group of the left-out fold."""

import sys
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).parent.parent))

from splits import FOLD_COUNT, Ties, assign_folds, read_families, to_training_mask, to_unit  # noqa: E402


def make_rows():
    rows = []
    for number in range(24):
        for clip in range(4):
            rows.append({"label": "human", "source": f"corpus-{number}", "family": "",
                         "group": f"s{number}-{clip}", "speaker": f"p{number}"})
            rows.append({"label": "artificial", "source": f"system-{number}", "family": "tts" if number % 2 else "vocoder",
                         "group": f"s{number}-{clip}", "speaker": f"p{(number * 5 + clip) % 24}"})
    rows.append({"label": "human", "source": "ast-one", "family": "", "group": "", "speaker": ""})
    rows.append({"label": "human", "source": "ast-two", "family": "", "group": "", "speaker": ""})
    return rows


class AssignFolds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = make_rows()
        cls.folds = assign_folds(cls.rows, read_families())

    def test_a_source_and_a_family_lie_in_one_fold(self):
        found = {}
        for row, fold in zip(self.rows, self.folds):
            found.setdefault((row["label"], to_unit(row["source"], read_families())), set()).add(int(fold))
        self.assertEqual({len(folds) for folds in found.values()}, {1})

    def test_every_fold_has_both_labels(self):
        present = {(row["label"], int(fold)) for row, fold in zip(self.rows, self.folds)}
        self.assertEqual(len(present), 2 * FOLD_COUNT)

    def test_training_shares_no_speaker_and_no_group_with_the_left_out_fold(self):
        ties = Ties(self.rows)
        for fold in range(FOLD_COUNT):
            mask = to_training_mask(ties, self.folds, fold)
            self.assertFalse((mask & (self.folds == fold)).any())
            for column in ("speaker", "group"):
                trained = {row[column] for row, kept in zip(self.rows, mask) if kept and row[column]}
                tested = {row[column] for row, own in zip(self.rows, self.folds) if own == fold and row[column]}
                self.assertEqual(trained & tested, set())

    def test_a_nameless_speaker_ties_nobody(self):
        ties = Ties(self.rows)
        members = numpy.zeros(len(self.rows), dtype=bool)
        members[-1] = True
        self.assertEqual(int(ties.touched_by(members).sum()), 1)

    def test_the_same_rows_give_the_same_folds(self):
        self.assertTrue((assign_folds(make_rows(), read_families()) == self.folds).all())


if __name__ == "__main__":
    unittest.main()
