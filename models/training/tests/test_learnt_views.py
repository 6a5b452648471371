"""What training sees of a file: no name, no tag, no container and no size, by which a label could be told."""

import csv
import tempfile
import unittest
from pathlib import Path

import numpy
from PIL import Image, PngImagePlugin

from metrics import to_auc
from traces.tokens import SCALE_RATE, draw_size, learn_picture
from weights import weigh

MANIFEST = Path(__file__).parent.parent / "corpus" / "manifests" / "image.tsv"
DRAWS_PER_PICTURE = 8
SCALE_AUC_MAX = 0.65
"""Photographs of cameras are larger than what generators give, so they are scaled down more; nothing but how much tells of it."""


def make_picture(width=640, height=480):
    rng = numpy.random.default_rng(7)
    coarse = rng.integers(0, 256, (height // 8, width // 8, 3), dtype=numpy.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)


def see(path, label="human"):
    row = {"file": str(path), "label": label, "source": "any", "owner": "any", "crop": ""}
    return [patch for patch, _ in learn_picture(row, 4, numpy.random.default_rng(3))]


class LearntViews(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_same(self, first, second):
        self.assertGreater(len(first), 0)
        self.assertTrue(all(numpy.array_equal(one, other) for one, other in zip(first, second, strict=True)))

    def test_the_label_the_name_and_the_tags_change_nothing(self):
        plain, tagged = self.folder / "IMG_2041.png", self.folder / "sdxl_00012_.png"
        make_picture().save(plain)
        tags = PngImagePlugin.PngInfo()
        tags.add_text("parameters", "a red boat\nSteps: 20, Sampler: Euler a")
        make_picture().save(tagged, pnginfo=tags, dpi=(300, 300))
        self.assert_same(see(plain, "human"), see(tagged, "artificial"))

    def test_a_camera_and_a_date_change_nothing(self):
        plain, tagged = self.folder / "one.jpg", self.folder / "two.jpg"
        exif = Image.Exif()
        exif[0x0110], exif[0x0132] = "Canon EOS 5D", "2009:05:01 10:00:00"
        make_picture().save(plain, quality=90)
        make_picture().save(tagged, quality=90, exif=exif)
        self.assert_same(see(plain), see(tagged))

    def test_every_patch_has_one_size_whatever_the_size_of_the_picture(self):
        for size in ((512, 512), (1536, 1024), (129, 700)):
            path = self.folder / "picture.png"
            make_picture(*size).save(path)
            self.assertEqual({(patch.shape, patch.dtype) for patch in see(path)}, {((128, 128, 3), numpy.dtype("uint8"))})

    def test_how_far_pictures_are_scaled_down_hardly_tells_the_label(self):
        with open(MANIFEST, newline="", encoding="utf-8") as stream:
            rows = [row for row in csv.DictReader(stream, delimiter="\t") if row["harvest"] == "inside" and row["label"] in ("human", "artificial")]
        rows = [row for row in rows for _ in range(DRAWS_PER_PICTURE)]
        rng = numpy.random.default_rng(5)
        factors = numpy.array([draw_factor((int(row["width"]), int(row["height"])), rng) for row in rows])
        labels = numpy.array([row["label"] == "artificial" for row in rows])
        weights = weigh(numpy.array([f"{row['label']}/{row['source']}" for row in rows]), labels)
        auc = to_auc(factors, labels, weights)
        self.assertLess(auc, SCALE_AUC_MAX, f"the factor tells the label with an AUC of {auc:.3f}")


def draw_factor(size, rng):
    scaled = draw_size(size, rng) if rng.random() < SCALE_RATE else None
    return 1.0 if scaled is None else scaled[0] / size[0]


if __name__ == "__main__":
    unittest.main()
