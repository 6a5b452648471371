"""Folds do not hang on which files are there (traces/index.py)."""

import csv
import tempfile
import unittest
from pathlib import Path

from traces.folds import assign_folds
from traces.index import list_collection, list_corpus, read_older_owners


class Index(unittest.TestCase):
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

    def test_what_an_outside_owner_made_is_not_learnt_from_and_an_inside_one_goes_with_its_fold(self):
        owners = read_older_owners()
        with tempfile.TemporaryDirectory() as folder:
            lines = ["label\tsource\tkind\tfile", *(f"human\t{source}\tcamera\t{source}.jpg" for source in ("aplau-photos", "ananlu-photos", "unknown-camera"))]
            (Path(folder) / "files.tsv").write_text("\n".join(lines), encoding="utf-8")
            listed = {row["source"]: row for row in list_collection(Path(folder), "crop")}
        self.assertEqual((owners["aplau-photos"], owners["ananlu-photos"]), ("aplau95", "ananlu"))
        self.assertEqual(set(listed), {"ananlu-photos", "unknown-camera"})
        self.assertEqual((listed["ananlu-photos"]["owner"], listed["unknown-camera"]["owner"]), ("ananlu", ""))
        corpus = [{"label": "human", "owner": "ananlu", "group": "ananlu", "family": ""}]
        self.assertEqual(*assign_folds([*corpus, listed["ananlu-photos"]]))


if __name__ == "__main__":
    unittest.main()
