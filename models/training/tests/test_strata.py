"""Parts of a corpus by format, size and age (strata.py)."""

import unittest

from strata import classify_age, classify_format, classify_size


class Strata(unittest.TestCase):
    def test_sizes_begin_where_the_last_ends(self):
        for side, part in ((999, "below 1 MP"), (1000, "1 to 4 MP"), (1999, "1 to 4 MP"), (2000, "above 4 MP")):
            self.assertEqual(classify_size({"width": str(side), "height": str(side)}), part)

    def test_a_picture_is_as_old_as_it_says_itself_before_when_it_was_published(self):
        self.assertEqual(classify_age({"taken": "2009-01-02", "date": "2025"}), "until 2009")
        self.assertEqual(classify_age({"taken": "", "date": "2025"}), "since 2024")
        self.assertIsNone(classify_age({"taken": "", "date": "?"}))

    def test_rare_formats_are_one_part(self):
        self.assertEqual([classify_format({"format": name}) for name in ("JPEG", "WEBP")], ["JPEG", "other formats"])


if __name__ == "__main__":
    unittest.main()
