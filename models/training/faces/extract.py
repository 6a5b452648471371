"""Stage 2: cuts every face as the appliance does, in each tier, confound and variant, and runs the body over it.

What is there already is kept: delete WORK/features-* after another prepare stage.
"""

import argparse
import subprocess
from pathlib import Path

import numpy

from faces import FaceCollection
from views import CONFOUNDS, SIDE, TIERS, VARIANTS, make_view

SCRIPT = Path(__file__).parent / "features.ts"
VIEWS_FILE = "views.rgb"
NAMES = (*TIERS, *VARIANTS, *CONFOUNDS)


def to_features_file(name):
    return f"features-{name}.f32"


def read_features(work, name, count):
    """Returns float32 [count, planes]."""
    return numpy.fromfile(work / to_features_file(name), dtype=numpy.float32).reshape(count, -1)


def extract(work, node):
    collection = FaceCollection(work)
    for name in NAMES:
        target = work / to_features_file(name)
        if target.exists():
            continue
        with open(work / VIEWS_FILE, "wb") as stream:
            for face in collection.faces:
                view = make_view(collection.read(face), face, name)
                stream.write(numpy.ascontiguousarray(view).tobytes())
        temporary = target.with_suffix(".tmp")
        subprocess.run([node, SCRIPT, str(SIDE), work / VIEWS_FILE, temporary], check=True)
        temporary.rename(target)
        print(f"{name}: {len(collection.faces)} faces", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--node", default="node", help="Node.js 24, in a checkout where npm ci was run")
    arguments = parser.parse_args()
    extract(arguments.work, arguments.node)
