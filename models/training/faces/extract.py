"""Stage 2: cuts every face as the appliance does, in each tier, confound and variant, and measures its textures.

What is there already is kept: delete WORK/features-* after another prepare stage. WORK holds the pretrained layers
of base-weights.ts.
"""

import argparse
import sys
from pathlib import Path

import numpy
import torch

sys.path.append(str(Path(__file__).resolve().parents[1]))

from faces import FaceCollection  # noqa: E402
from inception import Textures  # noqa: E402
from views import CONFOUNDS, TIERS, VARIANTS, make_view  # noqa: E402

NAMES = (*TIERS, *VARIANTS, *CONFOUNDS)
TAPS = ("mixed2", "mixed3")
"""Higher than for whole pictures: a swap shows in how the parts of a face are drawn, not only in its grain."""
BATCH_SIZE = 16
LEVEL_MAX = 255


def to_features_file(name):
    return f"features-{name}.f32"


def read_features(work, name, count):
    """Returns float32 [count, maps]."""
    return numpy.fromfile(work / to_features_file(name), dtype=numpy.float32).reshape(count, -1)


@torch.no_grad()
def measure(textures, views):
    """Returns float32 [views, maps]."""
    parts = []
    for start in range(0, len(views), BATCH_SIZE):
        pixels = torch.from_numpy(numpy.stack(views[start : start + BATCH_SIZE]))
        parts.append(textures(pixels.permute(0, 3, 1, 2).float() / LEVEL_MAX).numpy())
    return numpy.concatenate(parts)


def extract(work):
    torch.set_num_threads(1)
    collection, textures = FaceCollection(work), Textures(work, TAPS).eval()
    for name in NAMES:
        target = work / to_features_file(name)
        if target.exists():
            continue
        views = [make_view(collection.read(face), face, name).copy() for face in collection.faces]
        temporary = target.with_suffix(".tmp")
        measure(textures, views).tofile(temporary)
        temporary.rename(target)
        print(f"{name}: {len(views)} faces", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    extract(parser.parse_args().work)
