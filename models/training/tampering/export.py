"""Stage 7: writes graphs as ONNX with golden outputs: WORK/graphs/all, which is shipped, and for each fold the network
that has not seen it.

The appliance recomputes the golden outputs whenever it opens a session, on every device.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parent.parent))

from calibrate import CALIBRATION_FILE
from golden_patches import make_golden_planes
from score import list_networks, list_rounds, load_network
from shipped import TILE_PX, Shipped

GRAPHS_FOLDER = "graphs"
MODEL_FILE = "model.onnx"
GOLDEN_FILE = "golden.json"
GOLDEN_ITEMS = 2
GOLDEN_VALUES = 64
OPSET = 17


def pick_evenly(values, count):
    """The appliance's rule: `count` of the values, evenly among them."""
    return [values[index * len(values) // count] for index in range(count)]


def load_shipped(work, networks):
    """Returns the graph of the networks that were trained on these folds."""
    decision = json.loads((work / CALIBRATION_FILE).read_text(encoding="utf-8"))
    trained = [load_network(work, folds)[0] for folds in networks]
    return Shipped(trained, decision["line"], decision["prior"], decision["cell_line"]).eval()


def to_graph_folder(work, name):
    return work / GRAPHS_FOLDER / name


def export_all(work):
    export(load_shipped(work, list_networks(work)), to_graph_folder(work, "all"))
    for round_ in list_rounds(work):
        export(load_shipped(work, [round_.network]), to_graph_folder(work, f"fold-{round_.test}"))


def export(shipped, folder):
    folder.mkdir(parents=True, exist_ok=True)
    golden = torch.from_numpy(make_golden_planes(GOLDEN_ITEMS, TILE_PX))
    with torch.no_grad():
        expected = torch.cat([shipped(tile.unsqueeze(0)) for tile in golden]).flatten().tolist()
    # One tile at a time: a batch would hold the process for longer than other models should wait.
    torch.onnx.export(
        shipped, golden[0].unsqueeze(0), folder / MODEL_FILE, opset_version=OPSET,
        input_names=["pixels"], output_names=["evidence"],
    )
    body = (folder / MODEL_FILE).read_bytes()
    (folder / GOLDEN_FILE).write_text(json.dumps({
        "sha256": hashlib.sha256(body).hexdigest(), "items": GOLDEN_ITEMS,
        "expected": [round(value, 6) for value in pick_evenly(expected, GOLDEN_VALUES)],
    }), encoding="utf-8")
    print(f"{len(body)} bytes, first golden output {expected[0]:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    export_all(parser.parse_args().work)
