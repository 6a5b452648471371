"""Parts that need no data: folds, squares, weights, the head."""

import unittest

import numpy
from PIL import Image

from faces import FaceEntry
from head import fit_head, to_probability
from sources import KINDS_FILE, assign_folds, find_name, read_patterns
from training import weigh_faces
from views import SIDE, degrade, make_view, place_square


def make_face(width=200, height=180, box=(60, 50, 130, 130), label="human", source="a", file="human/a-1.jpg"):
    return FaceEntry(label=label, source=source, kind=label, file=file, box=list(box), left=0,
                     picture=[width, height], width=width, height=height, offset=0, fold=1)


def make_pixels(face, seed=1):
    return numpy.random.default_rng(seed).integers(0, 256, (face.height, face.width, 3), dtype=numpy.uint8)


class Folds(unittest.TestCase):
    def setUp(self):
        names = ["meso", "mesor", "dflo", "dflr", *(f"dfl{n:02}" for n in range(26)), "bfm", "lfw", "obs"]
        self.entries = [
            {"source": name, "label": label} for name in names for label in ("human", "artificial") for _ in range(3)
        ]
        self.folds = assign_folds(self.entries)

    def test_before_and_after_lie_in_one_fold(self):
        self.assertEqual(self.folds["meso"], self.folds["mesor"])
        self.assertEqual(self.folds["dflo"], self.folds["dflr"])
        self.assertEqual(set(self.folds.values()), {1, 2, 3, 4, 5})

    def test_swaps_to_one_person_lie_in_one_fold(self):
        for names in (("dfl01", "dfl04"), ("dfl19", "dfl20", "dfl21"), ("dfl15", "dfl16", "dfl17", "dfl18", "dflr")):
            self.assertEqual(len({self.folds[name] for name in names}), 1, names)

    def test_the_result_does_not_depend_on_the_order(self):
        self.assertEqual(self.folds, assign_folds(self.entries[::-1]))

    def test_every_fake_has_its_kind(self):
        kinds = read_patterns(KINDS_FILE)
        sources = ("dfl07", "dflr", "ff", "fmor", "lpret", "mmdf", "unheard")
        found = [find_name(source, kinds, "other") for source in sources]
        self.assertEqual(found, ["swap-pair", "swap", "swap", "morph", "expression", "generated", "other"])


class Squares(unittest.TestCase):
    def test_the_square_lies_inside_whatever_the_picture(self):
        for box in ((0, 0, 70, 80), (130, 100, 200, 180), (60, 50, 130, 130), (0, 0, 200, 180)):
            face = make_face(box=box)
            left, top, side = place_square(face)
            self.assertGreaterEqual(min(left, top), 0)
            self.assertLessEqual(left + side, face.width)
            self.assertLessEqual(top + side, face.height)

    def test_nothing_black_is_added(self):
        face = make_face(box=(0, 0, 190, 175))
        white = numpy.full((face.height, face.width, 3), 255, numpy.uint8)
        self.assertEqual(int(make_view(white, face).min()), 255)

    def test_a_tier_scales_as_the_picture_would_be(self):
        face = make_face()
        face.picture = [1024, 700]
        image, factor = degrade(Image.fromarray(make_pixels(face)), face, "hard")
        self.assertEqual(factor, 0.5)
        self.assertEqual(image.size, (100, 90))

    def test_variants_show_the_same_face(self):
        face = make_face()
        clean, mirrored = (make_view(make_pixels(face), face, name) for name in ("clean", "mirrored"))
        self.assertEqual(clean.shape, (SIDE, SIDE, 3))
        self.assertTrue((clean == mirrored[:, ::-1]).all())


class Weights(unittest.TestCase):
    def test_pairs_weigh_the_same_on_both_sides_and_large_sources_do_not_decide(self):
        faces = [make_face(source="many", file=f"human/many-{n}.jpg") for n in range(100)]
        faces += [make_face(source="few", file="human/few-1.jpg")]
        faces += [make_face(source="pair", file="pairs/pair-0-real.webp")]
        faces += [make_face(label="artificial", source="pair", file="pairs/pair-0-fake.webp")]
        faces += [make_face(label="artificial", source="other", file="artificial/other-1.png")]
        weights = weigh_faces(faces, numpy.ones(len(faces), dtype=bool))
        self.assertAlmostEqual(weights.sum(), 1)
        self.assertAlmostEqual(weights[101], 0.25)
        self.assertAlmostEqual(weights[102], 0.3)
        self.assertAlmostEqual(weights[:100].sum() / weights[100], 10)

    def test_what_is_left_out_weighs_nothing(self):
        faces = [make_face(), make_face(source="b"), make_face(label="artificial", source="c")]
        weights = weigh_faces(faces, numpy.array([True, False, True]))
        self.assertEqual(weights[1], 0)


class Head(unittest.TestCase):
    def test_it_finds_what_tells_the_labels_apart(self):
        rng = numpy.random.default_rng(1)
        labels = numpy.repeat([0.0, 1.0], 200)
        features = rng.normal(0, 5, (400, 8)) + 100
        features[:, 3] += 6 * labels
        weights, bias = fit_head(features, labels, numpy.full(400, 1 / 400))
        self.assertEqual(int(numpy.argmax(numpy.abs(weights))), 3)
        probabilities = to_probability(features @ weights + bias)
        self.assertAlmostEqual(float(probabilities.mean()), 0.5, places=3)

    def test_without_any_difference_it_says_nothing(self):
        features = numpy.ones((10, 4))
        weights, bias = fit_head(features, numpy.tile([0.0, 1.0], 5), numpy.full(10, 0.1))
        self.assertTrue(numpy.allclose(to_probability(features @ weights + bias), 0.5))


if __name__ == "__main__":
    unittest.main()
