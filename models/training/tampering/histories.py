"""Owns what happens to a whole picture before and after an edit: scaling, colour, noise, encoding.

Authentic and manipulated pictures pass through the same functions at the same rates:
a history that only one class has would be told apart instead of the edit. The
manipulation itself is none of this file's business.
"""

import io
import math
from dataclasses import dataclass

import numpy
from PIL import Image, ImageFilter

KERNELS = (
    Image.Resampling.BILINEAR,
    Image.Resampling.BICUBIC,
    Image.Resampling.LANCZOS,
)
SUBSAMPLINGS = (0, 1, 2, 2)
"""Pillow's codes: 0 is 4:4:4, 1 is 4:2:2, 2 is 4:2:0, the most common."""

EARLIER_JPEG_RATE = 0.35
EARLIER_JPEG_QUALITIES = (55, 98)
EARLIER_SCALE_RATE = 0.2
EARLIER_SCALE_MAX = 1.5
EARLIER_FILTER_RATE = 0.15
COLOUR_RATE = 0.25
LATER_SCALE_RATE = 0.2
LATER_SCALE_MAX = 1.25
FINAL_LOSSLESS_RATE = 0.2
FINAL_WEBP_RATE = 0.06
FINAL_JPEG_QUALITIES = (50, 98)
FINAL_TWICE_RATE = 0.12
ON_GRID_RATE = 0.6
GRID_PX = 8


def encode_jpeg(pixels, quality, subsampling):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=quality, subsampling=subsampling)
    return numpy.asarray(Image.open(buffer).convert("RGB"))


def encode_webp(pixels, quality):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "WEBP", quality=quality, method=1)
    return numpy.asarray(Image.open(buffer).convert("RGB"))


def encode_jpeg_between(pixels, qualities, rng):
    quality = int(rng.integers(qualities[0], qualities[1] + 1))
    return encode_jpeg(pixels, quality, int(rng.choice(SUBSAMPLINGS)))


def to_bytes(values):
    return numpy.clip(numpy.rint(values), 0, 255).astype(numpy.uint8)


def scale_by(pixels, scale, kernel):
    height, width = pixels.shape[:2]
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return numpy.asarray(Image.fromarray(pixels).resize(size, kernel))


def add_noise(pixels, rng, strongest=9.0):
    """Adds noise of one strength, grey or coloured."""
    channels = 1 if rng.random() < 0.5 else 3
    noise = rng.normal(0, rng.uniform(1, strongest), (*pixels.shape[:2], channels))
    return to_bytes(pixels + noise)


def filter_pixels(pixels, rng):
    """Blurs, sharpens, smooths or roughens; the same choice for a whole picture and for a region."""
    choice = int(rng.integers(4))
    if choice == 0:
        return add_noise(pixels, rng)
    image = Image.fromarray(pixels)
    if choice == 1:
        return numpy.asarray(image.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 2.0))))
    if choice == 2:
        return numpy.asarray(image.filter(ImageFilter.UnsharpMask(1.5, int(rng.integers(60, 200)), 0)))
    return numpy.asarray(image.filter(ImageFilter.MedianFilter(3)))


def change_colours(pixels, rng, strength=1.0):
    """Applies gain, gamma and offset per channel by a table, without touching detail."""
    levels = numpy.arange(256) / 255
    gamma, gain = math.exp(rng.normal(0, 0.15 * strength)), math.exp(rng.normal(0, 0.12 * strength))
    tables = [
        to_bytes(255 * (levels ** (gamma * math.exp(rng.normal(0, 0.03))) * gain + rng.normal(0, 0.02 * strength)))
        for _ in range(3)
    ]
    return numpy.stack([table[pixels[:, :, channel]] for channel, table in enumerate(tables)], axis=2)


def age(pixels, rng):
    """Gives a picture an earlier life. Never shrinks it: the crops have no pixels to spare. uint8 [H, W, 3]."""
    height, width = pixels.shape[:2]
    if rng.random() < EARLIER_SCALE_RATE:
        kernel = KERNELS[int(rng.integers(len(KERNELS)))]
        grown = scale_by(pixels, math.exp(rng.uniform(0.03, math.log(EARLIER_SCALE_MAX))), kernel)
        top, left = ((grown.shape[axis] - extent) // 2 for axis, extent in ((0, height), (1, width)))
        pixels = grown[top : top + height, left : left + width]
    if rng.random() < EARLIER_FILTER_RATE:
        pixels = filter_pixels(pixels, rng)
    if rng.random() < COLOUR_RATE:
        pixels = change_colours(pixels, rng)
    if rng.random() < EARLIER_JPEG_RATE:
        pixels = encode_jpeg_between(pixels, EARLIER_JPEG_QUALITIES, rng)
    return pixels


@dataclass(frozen=True)
class Export:
    """How an editor scales a picture and cuts it: `scale` and kernel (None: as it was), then a square of side_px whose
    corner lies at (top, left) of the scaled picture."""

    scale: float
    kernel: object
    top: int
    left: int
    side_px: int

    @property
    def window(self):
        """(top, left, side) of what stays, in pixels of the picture before."""
        return self.top / self.scale, self.left / self.scale, self.side_px / self.scale


def draw_export(shape, side_px, rng):
    """Draws it for a picture of `shape`, on the JPEG grid or off it; what stays is never smaller than the cut."""
    scale, kernel = 1.0, None
    if rng.random() < LATER_SCALE_RATE:
        scale = math.exp(rng.uniform(math.log(side_px / min(shape[:2])), math.log(LATER_SCALE_MAX)))
        kernel = KERNELS[int(rng.integers(len(KERNELS)))]
    step = GRID_PX if rng.random() < ON_GRID_RATE else 1
    top, left = (
        int(rng.integers(0, (max(side_px, round(extent * scale)) - side_px) // step + 1)) * step for extent in shape[:2]
    )
    return Export(scale, kernel, top, left, side_px)


def export_together(pixels, mask, export):
    """Scales and cuts picture and mask alike."""
    if export.kernel is not None:
        pixels = scale_by(pixels, export.scale, export.kernel)
        image = Image.fromarray(mask.astype(numpy.uint8) * 255).resize(pixels.shape[1::-1], Image.Resampling.BILINEAR)
        mask = numpy.asarray(image) >= 128
    rows = slice(export.top, export.top + export.side_px)
    columns = slice(export.left, export.left + export.side_px)
    return pixels[rows, columns], mask[rows, columns]


def encode_finally(pixels, rng):
    """Saves the picture for the last time. Returns (pixels, quality 1..100; 100 for lossless, negative for WebP)."""
    choice = rng.random()
    if choice < FINAL_LOSSLESS_RATE:
        return pixels, 100
    quality = int(rng.integers(FINAL_JPEG_QUALITIES[0], FINAL_JPEG_QUALITIES[1] + 1))
    if choice < FINAL_LOSSLESS_RATE + FINAL_WEBP_RATE:
        return encode_webp(pixels, quality), -quality
    if rng.random() < FINAL_TWICE_RATE:
        pixels = encode_jpeg_between(pixels, FINAL_JPEG_QUALITIES, rng)
    return encode_jpeg(pixels, quality, int(rng.choice(SUBSAMPLINGS))), quality
