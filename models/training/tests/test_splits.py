"""No source and no family may lie on both sides of a split."""

import unittest

from splits import FOLD_COUNT, assign_folds, read_families, to_family


def make_sizes():
    sizes = {("artificial", f"model-{n}-sdnext"): 1 + n % 4 for n in range(40)}
    sizes |= {("artificial", f"generator-{n}"): 3 + n for n in range(30)}
    sizes |= {("artificial", "songguoxs-one"): 250, ("artificial", "two-songguoxs"): 30}
    sizes |= {("human", f"camera-{n}"): 5 + n for n in range(40)}
    sizes |= {("human", "gan-examples-real"): 6, ("artificial", "gan-examples"): 6}
    return sizes


class AssignFolds(unittest.TestCase):
    def setUp(self):
        self.families = read_families()
        self.folds = assign_folds(make_sizes(), self.families)

    def test_a_family_never_straddles_a_split(self):
        folds_of_family = {}
        for (_, source), fold in self.folds.items():
            folds_of_family.setdefault(to_family(source, self.families), set()).add(fold)
        self.assertEqual({len(folds) for folds in folds_of_family.values()}, {1})

    def test_every_fold_has_both_labels(self):
        present = {(label, fold) for (label, _), fold in self.folds.items()}
        self.assertEqual(len(present), 2 * FOLD_COUNT)

    def test_the_result_depends_on_the_data_not_on_its_order(self):
        reversed_sizes = dict(reversed(make_sizes().items()))
        self.assertEqual(assign_folds(reversed_sizes, self.families), self.folds)

    def test_known_families(self):
        cases = {
            "sdnext-reference": "sdnext", "flux2-sdnext": "sdnext", "qwen-edit-sdcpp-edit": "sdcpp",
            "sd14-15-apple": "apple", "songguoxs-gpt4o": "songguoxs", "pineapple": "pineapple",
        }
        for source, family in cases.items():
            with self.subTest(source=source):
                self.assertEqual(to_family(source, self.families), family)


if __name__ == "__main__":
    unittest.main()
