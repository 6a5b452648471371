"""Stage 3: runs the frozen lower half of the image network over all views, once.

The lower half knows the traces of generators and compression from far more
pictures than there are faces; only the upper half and the head are trained. Also
makes the views that are measured on, in each quality tier, as the appliance cuts them.
"""

import argparse
import json
import os
from pathlib import Path

import numpy
import torch

from extract import VIEW_INDEX_FILE, VIEWS_FILE
from face_network import FaceNetwork, to_pixels
from faces import FaceCollection
from views import CONFOUNDS, SIDE, TIERS, make_view

BASE_FILE = "base.pt"
TRAINING_MAPS = "maps-training.f16"
BATCH = 64


def to_tier_file(tier):
    return f"maps-{tier}.f16"


def load_base(start):
    """Returns (network with the image network's weights, what its checkpoint says of its training)."""
    state = torch.load(start, map_location="cpu")
    network = FaceNetwork()
    network.start_from(state["average"])
    about = {name: state[name] for name in ("folds", "step", "crop_count")}
    return network.eval(), about


@torch.no_grad()
def write_maps(path, network, views):
    """Writes the lower half's maps of uint8 views [N, SIDE, SIDE, 3] as float16; a finished file is kept."""
    if path.exists():
        return
    temporary = path.with_suffix(".tmp")
    with open(temporary, "wb") as stream:
        for first in range(0, len(views), BATCH):
            maps = network.to_lower(to_pixels(numpy.array(views[first : first + BATCH])))
            stream.write(maps.contiguous().numpy().astype(numpy.float16).tobytes())
            if first % (BATCH * 20) == 0:
                print(f"{path.name}: {first} of {len(views)}", flush=True)
    os.replace(temporary, path)


def make_maps(work, start):
    torch.set_num_threads(1)
    network, about = load_base(start)
    torch.save({"state": network.state_dict(), "about": about}, work / BASE_FILE)
    collection = FaceCollection(work)
    for tier in (*TIERS, *CONFOUNDS):
        views = numpy.stack([make_view(collection.read(face), face, tier) for face in collection.faces])
        write_maps(work / to_tier_file(tier), network, views)
    count = len(json.loads((work / VIEW_INDEX_FILE).read_text(encoding="utf-8"))["views"])
    views = numpy.memmap(work / VIEWS_FILE, dtype=numpy.uint8, mode="r", shape=(count, SIDE, SIDE, 3))
    write_maps(work / TRAINING_MAPS, network, views)


def read_maps(path):
    """Returns the maps of a file, float16 [N, channels, side, side], not loaded but mapped."""
    shape = FaceNetwork.LOWER_SHAPE
    return numpy.memmap(path, dtype=numpy.float16, mode="r").reshape(-1, *shape)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True, help="checkpoint of the image network")
    arguments = parser.parse_args()
    make_maps(arguments.work, arguments.start)
