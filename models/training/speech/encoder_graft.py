"""Owns the way back: the weights of a trained network, rounded to 8 bits for each output, in the graph of the pack.

`python3 encoder_graft.py --state FILE [FILE] --encoder FILE --out model.onnx` writes the graph of the mean of the states' weights.
Operations are those of encoder_graph.py; only what a product's weights are scaled by is a row now, where it was one number.
"""

import argparse
from pathlib import Path

import numpy
import onnx
import torch
from onnx import helper, numpy_helper

from encoder_graph import FEATURE_COUNT, FEATURES, Builder, drop_unused, make_features_graph, write_model
from encoder_network import CONVOLUTIONS, Speech, find_weights, load_encoder, read_weight
from lines import CLIP_AT, Heads
from network import Network
from recorded import SAMPLES

LEVELS = 255


def read_states(paths):
    """Returns the mean of the averaged weights of some states, by name, in single precision."""
    states = [torch.load(path) for path in paths]
    return {name: sum(state[name].float() for state in states) / len(states) for name in states[0]}


def read_pack(path, encoder_path):
    """Returns the state that `graft` put into a graph: its weights as they were rounded."""
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}
    encoder, names = load_encoder(encoder_path), find_weights(make_features_graph(encoder_path, SAMPLES))
    state = {"encoder.turns": encoder.turns}
    for place, name in names.items():
        value = torch.from_numpy(numpy.array(read_weight(stored, place, name)))
        state[f"encoder.{place}"] = value.reshape(encoder.get_parameter(place).shape)
    for name, shape in (*((name, (-1,)) for name in ("means", "scales", "line", "offsets", "last")), ("hidden", (FEATURE_COUNT, -1)), ("bias", ())):
        state[name] = torch.from_numpy(stored[f"heads/{name}"].reshape(shape).copy())
    return state


def make_speech(encoder, state):
    """Returns Speech with the weights of a state."""
    count, width = state["hidden"].shape
    layers = torch.zeros(4, dtype=torch.float32).numpy()
    heads = Heads(numpy.zeros(count, numpy.float32), numpy.ones(count, numpy.float32), numpy.zeros(count, numpy.float32), layers)
    network = Network(numpy.zeros((count, width), numpy.float32), numpy.zeros(width, numpy.float32), numpy.zeros(width, numpy.float32), 0.0)
    speech = Speech(encoder, heads, network)
    speech.load_state_dict(state)
    return speech.eval()


def to_bytes(rows):
    """Returns (integers, scales, zeros) of rows [outputs, weights]: value = (integer - zero) * scale, at most half a step off."""
    low, high = numpy.minimum(rows.min(axis=1), 0), numpy.maximum(rows.max(axis=1), 0)
    scales = numpy.maximum((high - low) / LEVELS, 1e-12).astype(numpy.float32)
    zeros = numpy.round(-low / scales)
    integers = numpy.clip(numpy.round(rows / scales[:, None]) + zeros[:, None], 0, LEVELS)
    return integers.astype(numpy.uint8), scales, zeros.astype(numpy.uint8)


def round_weights(state):
    """Returns the state with the weights of every product and convolution as the graph will hold them."""
    rounded = dict(state)
    for name, value in state.items():
        if name.startswith("encoder.") and name.endswith("weight") and value.dim() > 1:
            integers, scales, zeros = to_bytes(value.flatten(1).numpy())
            floats = (integers.astype(numpy.float32) - zeros[:, None]) * scales[:, None]
            rounded[name] = torch.from_numpy(floats).reshape(value.shape)
    return rounded


def graft(encoder_path, state):
    """Returns the graph of the pack with the weights of a state."""
    graph = make_features_graph(encoder_path, SAMPLES)
    stored = {tensor.name: tensor for tensor in graph.initializer}

    def put(name, value):
        stored[name].CopyFrom(numpy_helper.from_array(numpy.ascontiguousarray(value), name))

    for place, name in find_weights(graph).items():
        value = state[f"encoder.{place}"].numpy()
        if value.ndim == 1:
            put(name, value.astype(numpy.float32).reshape(tuple(stored[name].dims)))
            continue
        integers, scales, zeros = to_bytes(value.reshape(len(value), -1))
        if place.split(".")[0] in CONVOLUTIONS.values():
            column = (-1, 1, 1)
            # Its graph multiplies first and adds then.
            parts = integers.reshape(value.shape), scales.reshape(column), (-zeros.astype(numpy.float32) * scales).reshape(column)
        else:
            parts = integers.T, scales, zeros
        for what, part in zip(("quantized", "scale", "zero_point"), parts):
            put(f"{name}_{what}", part)
    add_reading(graph, {name: state[name].numpy() for name in ("means", "scales", "line", "hidden", "offsets", "last", "bias")})
    drop_unused(graph)
    return graph


def add_reading(graph, parts):
    """Adds what reads one logit of the features: a line, and networks of one hidden layer, by the names of encoder_network.Speech."""
    builder = Builder(graph)
    shapes = {"line": (-1, 1), "last": (-1, 1), "bias": (1,)}
    for name, value in {**parts, "least": -CLIP_AT, "most": CLIP_AT}.items():
        value = numpy.asarray(value, dtype=numpy.float32)
        builder.constant(f"heads/{name}", numpy.ascontiguousarray(value.reshape(shapes.get(name, value.shape))))
    builder.constant("heads/column", numpy.array([1], dtype=numpy.int64))
    centred = builder.add("Sub", [FEATURES, "heads/means"], "heads/centred")
    scaled = builder.add("Mul", [centred, "heads/scales"], "heads/scaled")
    clipped = builder.add("Clip", [scaled, "heads/least", "heads/most"], "heads/clipped")
    said = builder.add("MatMul", [clipped, "heads/line"], "heads/said")
    hidden = builder.add("MatMul", [clipped, "heads/hidden"], "heads/hidden/product")
    raised = builder.add("Add", [hidden, "heads/offsets"], "heads/hidden/raised")
    active = builder.add("Relu", [raised], "heads/hidden/active")
    heard = builder.add("MatMul", [active, "heads/last"], "heads/heard")
    both = builder.add("Add", [said, heard], "heads/both")
    whole = builder.add("Add", [both, "heads/bias"], "heads/whole")
    builder.add("Squeeze", [whole, "heads/column"], "logit")
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info("logit", 1, ["count"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--state", type=Path, nargs="+", required=True, help="average-N.pt of encoder_learn.py; of several the mean")
    parser.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    write_model(graft(options.encoder, read_states(options.state)), options.out)
