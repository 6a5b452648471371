"""Owns the making of fakes from human faces: self-blends, swaps, morphs, warps and reworked faces.

All work on a region (a face with its surroundings, native resolution) and the
face's box in it; landmarks are not needed: faces are aligned by their boxes,
masks are soft ellipses and polygons inside them. Self-blends follow Shiohara and Yamasaki
(2022): the same face, changed a little, laid back on itself, so that what
is left to learn is the mismatch, not the person.
"""

import io
import math

import numpy
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter

MASK_SIDE_PX = 128
"""Masks and warps are made small and scaled: they are smooth anyway."""
KINDS = ("self-blend", "swap", "morph", "warp", "rework")
KIND_RATES = (0.34, 0.26, 0.08, 0.07, 0.25)
SHARES = (0.5, 0.75, 1.0, 1.0, 1.0)
"""How much of the forged face is laid over the original one."""


def to_box_size(box):
    return max(1, round(box[2] - box[0])), max(1, round(box[3] - box[1]))


def make_mask(size, box, rng):
    """Returns a soft mask as an L image: an ellipse or a polygon in the face, its edge blurred by a random width."""
    width, height = size
    scale = MASK_SIDE_PX / max(width, height)
    small = (max(2, round(width * scale)), max(2, round(height * scale)))
    left, top, right, bottom = (value * scale for value in box)
    centre_x, centre_y = (left + right) / 2, (top + bottom) / 2
    radius_x = (right - left) / 2 * rng.uniform(0.72, 1.1)
    radius_y = (bottom - top) / 2 * rng.uniform(0.78, 1.2)
    corner_count = int(rng.choice((8, 12, 40)))
    wobble = 0.0 if corner_count == 40 else 0.1
    points = []
    for index in range(corner_count):
        angle = 2 * math.pi * index / corner_count
        reach = 1 + rng.uniform(-wobble, wobble)
        points.append((centre_x + radius_x * reach * math.cos(angle), centre_y + radius_y * reach * math.sin(angle)))
    mask = Image.new("L", small)
    ImageDraw.Draw(mask).polygon(points, fill=255)
    blur = rng.uniform(0.01, 0.1) * (right - left)
    return mask.filter(ImageFilter.GaussianBlur(blur)).resize(size, Image.Resampling.BILINEAR)


def lay_over(face, background, mask, rng):
    share = float(SHARES[int(rng.integers(len(SHARES)))])
    return Image.composite(face, background, mask.point(lambda value: round(value * share)))


def jpeg(image, quality):
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer).convert("RGB")


def coarsen(image, factor, rng):
    """Scales down and up again: a face that a small generator drew."""
    small = [max(16, round(side / factor)) for side in image.size]
    kernels = (Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS)
    down, up = kernels[int(rng.integers(3))], kernels[int(rng.integers(3))]
    return image.resize(small, down).resize(image.size, up)


def mismatch(image, rng):
    """Changes colour, sharpness and history a little, as another picture's would differ."""
    for enhancer, spread in ((ImageEnhance.Color, 0.2), (ImageEnhance.Brightness, 0.12), (ImageEnhance.Contrast, 0.15)):
        if rng.random() < 0.6:
            image = enhancer(image).enhance(1 + rng.uniform(-spread, spread))
    if rng.random() < 0.4:
        shift = [int(value) for value in rng.integers(-10, 11, 3)]
        image = image.point([min(255, max(0, level + move)) for move in shift for level in range(256)])
    choice = int(rng.integers(5))
    if choice == 0:
        return image.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 1.6)))
    if choice == 1:
        return image.filter(ImageFilter.UnsharpMask(2, int(rng.integers(40, 180)), 0))
    if choice == 2:
        return coarsen(image, rng.uniform(1.3, 3.0), rng)
    if choice == 3:
        return jpeg(image, int(rng.integers(30, 85)))
    return image


def move(image, box, rng):
    """Scales about the face's centre by up to 5 % and shifts by up to 3 % of it."""
    width, height = to_box_size(box)
    zoom_x, zoom_y = rng.uniform(0.95, 1.05, 2)
    centre_x, centre_y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    shift_x, shift_y = rng.uniform(-0.03, 0.03) * width, rng.uniform(-0.03, 0.03) * height
    matrix = (
        zoom_x, 0, centre_x * (1 - zoom_x) + shift_x,
        0, zoom_y, centre_y * (1 - zoom_y) + shift_y,
    )
    return image.transform(image.size, Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC)


def blend_with_itself(image, box, rng):
    """A self-blend; either the face or its surroundings were changed."""
    mask = make_mask(image.size, box, rng)
    if rng.random() < 0.5:
        return lay_over(move(mismatch(image, rng), box, rng), image, mask, rng)
    return lay_over(move(image, box, rng), mismatch(image, rng), mask, rng)


def match_colours(face, target, mask):
    """Gives the face the target's mean and spread per channel, within the mask."""
    inside = numpy.asarray(mask) > 127
    if inside.sum() < 16:
        return face
    values, wanted = numpy.asarray(face, numpy.float32), numpy.asarray(target, numpy.float32)
    mean, spread = values[inside].mean(0), values[inside].std(0) + 1
    goal_mean, goal_spread = wanted[inside].mean(0), wanted[inside].std(0) + 1
    gain = numpy.clip(goal_spread / spread, 0.5, 2)
    return Image.fromarray(numpy.clip((values - mean) * gain + goal_mean, 0, 255).astype(numpy.uint8))


def align(other, other_box, size, box, rng):
    """Returns the other region, scaled and moved so that its face lies in this one's box."""
    scale_x = (other_box[2] - other_box[0]) / (box[2] - box[0]) * rng.uniform(0.95, 1.05)
    scale_y = (other_box[3] - other_box[1]) / (box[3] - box[1]) * rng.uniform(0.95, 1.05)
    matrix = (
        scale_x, 0, (other_box[0] + other_box[2]) / 2 - scale_x * (box[0] + box[2]) / 2,
        0, scale_y, (other_box[1] + other_box[3]) / 2 - scale_y * (box[1] + box[3]) / 2,
    )
    return other.transform(size, Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC)


def soften(image, rng):
    """What a generator's small output has been through: few pixels, no grain, sometimes sharpened after."""
    if rng.random() < 0.75:
        image = coarsen(image, rng.uniform(1.1, 3.0), rng)
    if rng.random() < 0.3:
        image = image.filter(ImageFilter.MedianFilter(3))
    if rng.random() < 0.4:
        image = image.filter(ImageFilter.UnsharpMask(rng.uniform(1, 3), int(rng.integers(40, 160)), 0))
    return image


def swap(image, box, other, other_box, rng):
    mask = make_mask(image.size, box, rng)
    face = soften(align(other, other_box, image.size, box, rng), rng)
    if rng.random() < 0.85:
        face = match_colours(face, image, mask)
    return Image.composite(face, image, mask)


def morph(image, box, other, other_box, rng):
    """Half this face, half the other: ghosts of both remain, as in a morphed passport picture."""
    mask = make_mask(image.size, box, rng)
    face = match_colours(align(other, other_box, image.size, box, rng), image, mask)
    return Image.composite(Image.blend(image, face, rng.uniform(0.35, 0.65)), image, mask)


def warp(image, box, rng):
    """Moves parts of the face by a smooth field, as tools that change an expression do."""
    cells = 6
    width, height = to_box_size(box)
    left, top = round(box[0]), round(box[1])
    grid = rng.normal(0, 0.035 * width, (cells + 1, cells + 1, 2))
    grid[0] = grid[-1] = 0
    grid[:, 0] = grid[:, -1] = 0
    mesh = []
    for row in range(cells):
        for column in range(cells):
            edges = (
                left + column * width // cells, top + row * height // cells,
                left + (column + 1) * width // cells, top + (row + 1) * height // cells,
            )
            corners = ((row, column, 0, 1), (row + 1, column, 0, 3), (row + 1, column + 1, 2, 3), (row, column + 1, 2, 1))
            quad = []
            for grid_row, grid_column, x_index, y_index in corners:
                quad.extend((edges[x_index] + grid[grid_row, grid_column, 0], edges[y_index] + grid[grid_row, grid_column, 1]))
            mesh.append((edges, tuple(quad)))
    moved = image.transform(image.size, Image.Transform.MESH, mesh, Image.Resampling.BICUBIC)
    inside = (left, top, left + width, top + height)
    changed = image.copy()
    changed.paste(moved.crop(inside), inside[:2])
    return Image.composite(changed, image, make_mask(image.size, box, rng))


def rework(image, box, rng):
    """The same face drawn again by something small: no other person, no shift, no other colours."""
    face = soften(coarsen(image, rng.uniform(1.1, 2.5), rng), rng)
    return Image.composite(face, image, make_mask(image.size, box, rng))


def forge(image, box, other, other_box, rng):
    """Returns (a fake made of a human face, its kind); `other` is another human face, used by swaps and morphs."""
    kind = KINDS[int(rng.choice(len(KINDS), p=KIND_RATES))]
    if kind == "self-blend":
        return blend_with_itself(image, box, rng), kind
    if kind == "swap":
        return swap(image, box, other, other_box, rng), kind
    if kind == "morph":
        return morph(image, box, other, other_box, rng), kind
    if kind == "warp":
        return warp(image, box, rng), kind
    return rework(image, box, rng), kind
