"""Parts that need no data: folds, squares, fakes, the network and its exported form."""

import unittest

import numpy
import torch
from PIL import Image

from export import ExportedFaceNetwork, make_golden_view
from extract import age, cut_view
from face_network import FaceNetwork, make_zones
from faces import FaceEntry
from forge import KINDS, forge, make_mask
from sources import KINDS_FILE, assign_folds, find_name, read_patterns
from views import SIDE, degrade, make_view, place_square


def make_face(width=200, height=180, box=(60, 50, 130, 130)):
    return FaceEntry(set="portraits", label="human", source="a", kind="human", file="a-1.jpg", box=list(box),
                     corner=[0, 0], picture=[width, height], width=width, height=height, offset=0, fold=1)


def make_pixels(face, seed=1):
    return numpy.random.default_rng(seed).integers(0, 256, (face.height, face.width, 3), dtype=numpy.uint8)


class Folds(unittest.TestCase):
    def setUp(self):
        names = ["meso", "mesor", "dflo", "dflr", *(f"dfl{n:02}" for n in range(20)), "bfm", "lfw", "obs"]
        self.entries = [
            {"set": "portraits", "source": name, "label": label}
            for name in names for label in ("human", "artificial") for _ in range(3)
        ]

    def test_before_and_after_lie_in_one_fold(self):
        folds = assign_folds(self.entries)
        self.assertEqual(folds["meso"], folds["mesor"])
        self.assertEqual(folds["dflo"], folds["dflr"])

    def test_swaps_to_one_person_lie_in_one_fold(self):
        folds = assign_folds(self.entries)
        self.assertEqual({folds[name] for name in ("dfl15", "dfl16", "dfl17", "dfl18", "dflr")}, {folds["dfl15"]})
        self.assertEqual(set(folds.values()), {1, 2, 3, 4, 5})

    def test_the_result_does_not_depend_on_the_order(self):
        self.assertEqual(assign_folds(self.entries), assign_folds(self.entries[::-1]))

    def test_every_fake_has_its_kind(self):
        kinds = read_patterns(KINDS_FILE)
        found = [find_name(source, kinds, "other") for source in ("dfl07", "dflr", "ff", "fmor", "lpret", "mmdf", "unheard")]
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


class Fakes(unittest.TestCase):
    def test_only_the_face_is_changed_in_kinds_that_keep_the_rest(self):
        face, other = make_face(), make_face(box=(40, 40, 120, 130))
        image, partner = Image.fromarray(make_pixels(face)), Image.fromarray(make_pixels(other, 2))
        seen = set()
        for seed in range(60):
            made, kind = forge(image, face.box, partner, other.box, numpy.random.default_rng(seed))
            seen.add(kind)
            change = numpy.abs(numpy.asarray(made, int) - numpy.asarray(image, int))
            self.assertGreater(change[70:110, 80:110].sum(), 0, kind)
            if kind != "self-blend":
                self.assertEqual(change[:10].sum(), 0, kind)
        self.assertEqual(seen, set(KINDS))

    def test_the_same_seed_makes_the_same_fake(self):
        face = make_face()
        image = Image.fromarray(make_pixels(face))
        once, again = (
            numpy.asarray(forge(image, face.box, image, face.box, numpy.random.default_rng(5))[0]) for _ in range(2)
        )
        self.assertTrue((once == again).all())

    def test_the_mask_is_soft_and_inside(self):
        mask = numpy.asarray(make_mask((200, 180), (60, 50, 130, 130), numpy.random.default_rng(1)))
        self.assertEqual(mask[90, 95], 255)
        self.assertEqual(mask[5, 5], 0)
        self.assertGreater(len(numpy.unique(mask)), 10)

    def test_histories_keep_the_face_in_view(self):
        face = make_face()
        image = Image.fromarray(make_pixels(face))
        for seed in range(20):
            rng = numpy.random.default_rng(seed)
            self.assertEqual(cut_view(*age(image, face.box, rng), rng).shape, (SIDE, SIDE, 3))


class Network(unittest.TestCase):
    def test_zones_share_the_square(self):
        zones = make_zones()
        self.assertTrue(torch.allclose(zones.sum(dim=(1, 2, 3)), torch.ones(3)))
        self.assertTrue((((zones > 0).sum(dim=0)) == 1).all())

    def test_the_exported_form_answers_alike(self):
        torch.manual_seed(1)
        network = FaceNetwork().eval()
        views = torch.stack([make_golden_view(0), make_golden_view(1)])
        with torch.no_grad():
            self.assertTrue(torch.allclose(network(views), ExportedFaceNetwork(network)(views), atol=1e-5))

    def test_the_trained_half_is_all_above_the_frozen_map(self):
        network = FaceNetwork()
        trained = {id(parameter) for parameter in network.to_upper_parameters()}
        frozen = {id(parameter) for parameter in (*network.stem.parameters(), *network.body[:2].parameters())}
        self.assertFalse(trained & frozen)
        self.assertEqual(len(trained) + len(frozen), len(list(network.parameters())))


if __name__ == "__main__":
    unittest.main()
