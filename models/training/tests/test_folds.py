"""Which sources are left out together (traces/folds.py)."""

import unittest

from traces.folds import assign_folds


def describe(owner, group="", label="artificial", family="Flux"):
    return {"owner": owner, "group": group, "label": label, "family": family}


class AssignFolds(unittest.TestCase):
    def test_owners_that_share_a_group_are_never_parted(self):
        chain = [describe(f"owner-{index}", f"scene-{index // 2}") for index in range(40)]
        joined = [describe(f"owner-{index}", "scene-all") for index in range(40)]
        self.assertGreater(len(set(assign_folds(chain, fold_count=5))), 1)
        self.assertEqual(len(set(assign_folds(chain + joined, fold_count=5))), 1)

    def test_all_sources_of_an_owner_fall_together_whatever_their_order(self):
        rows = [describe(f"owner-{index % 7}", f"scene-{index}", "human" if index % 2 else "artificial") for index in range(28)]
        folds = dict(zip([row["owner"] for row in rows], assign_folds(rows)))
        backwards = dict(zip([row["owner"] for row in rows[::-1]], assign_folds(rows[::-1])))
        self.assertEqual(folds, backwards)
        self.assertEqual([folds[row["owner"]] for row in rows], assign_folds(rows))

    def test_a_family_of_generators_is_left_out_whole(self):
        rows = [describe(f"owner-{index}", family=f"family-{index % 4}") for index in range(40)]
        folds = assign_folds(rows, "families")
        for family in range(4):
            self.assertEqual(len(set(folds[family::4])), 1)

    def test_what_has_no_owner_is_always_learnt_from(self):
        self.assertEqual(assign_folds([describe(""), describe("", "scene")]), [None, None])


if __name__ == "__main__":
    unittest.main()
