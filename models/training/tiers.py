"""Owns the quality tiers in which the model is measured: what the web does to a picture.

A crop stands for its picture: it is scaled by the factor that brings the whole
picture's long side to the tier's limit, then compressed. The factor is held
so that at least CROP_SIDE_MIN_PX remain; the card counts where that happened.
"""

from dataclasses import dataclass

import numpy
from PIL import Image

from augment import encode_jpeg

CROP_SIDE_MIN_PX = 64
JPEG_420 = 2


@dataclass(frozen=True)
class Tier:
    name: str
    long_side_max: int
    jpeg_quality: int
    description: str
    crop_side: int = 0
    """Every picture is first cut to this side at its centre; 0 cuts nothing."""


TIERS = (
    Tier("clean", 0, 0, "as found"),
    Tier("web", 768, 60, "long side at most 768 px, JPEG 60 (4:2:0)"),
    Tier("hard", 512, 40, "long side at most 512 px, JPEG 40 (4:2:0)"),
)

ONE_FORMAT = Tier("one-format", 0, 90, "every picture re-encoded as JPEG 90, not scaled")
CONFOUNDS = (
    ONE_FORMAT,
    Tier("one-size", 0, 0, "every picture cut to its middle 384×384 at most, not re-encoded", crop_side=384),
)
"""What the score must not lean on: the file format and the size, made the same for all."""
GRID_PX = 16


def to_scale(tier, crop):
    """Returns (factor, whether it was held above the tier's to keep CROP_SIDE_MIN_PX)."""
    if not tier.long_side_max:
        return 1.0, False
    wanted = min(1.0, tier.long_side_max / crop.original_long_side)
    lowest = CROP_SIDE_MIN_PX / min(crop.height, crop.width)
    return max(wanted, lowest), wanted < lowest


def apply_tier(tier, crop, pixels):
    """Returns the crop's pixels as they would look in that tier, uint8 [H, W, 3]."""
    scale, _ = to_scale(tier, crop)
    image = Image.fromarray(pixels)
    if scale < 1:
        size = [max(CROP_SIDE_MIN_PX, round(side * scale)) for side in image.size]
        image = image.resize(size, Image.Resampling.LANCZOS)
    if tier.jpeg_quality:
        image = encode_jpeg(image, tier.jpeg_quality, JPEG_420)
    return numpy.asarray(image)
