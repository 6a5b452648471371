"""The appliance makes the same patches (src/worker/inference/golden.ts); the hashes are those of its bytes."""

import hashlib
import unittest

import numpy

from golden_patches import make_golden_patches, make_golden_planes

SHA256 = {
    (8, 128): "e5840bff5486f6868b94f1612b3c1bc542f369cccffb143965a37b6450a0568a",
    (4, 224): "9317833cd68cf1cfb5df2551d7a3142ef21c44d0cc986cc2add16cb27e3cddc6",
}


class GoldenPatches(unittest.TestCase):
    def test_bytes_are_those_of_the_appliance(self):
        for (count, side), expected in SHA256.items():
            with self.subTest(count=count, side=side):
                self.assertEqual(hashlib.sha256(make_golden_patches(count, side).tobytes()).hexdigest(), expected)

    def test_planes_hold_the_same_values(self):
        planes = make_golden_planes(2, 16)
        self.assertEqual((planes.shape, planes.dtype), ((2, 3, 16, 16), numpy.float32))
        self.assertEqual(planes[1, 2, 3, 5], numpy.float32(make_golden_patches(2, 16)[1, 3, 5, 2]) / 255)


if __name__ == "__main__":
    unittest.main()
