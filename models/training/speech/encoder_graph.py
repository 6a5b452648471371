"""Owns the graph of the frozen encoder: Moonshine base cut after its fifth layer, with statistics over time.

The published file quantises activations as it runs, by the largest value of the whole batch: what one window gets
then depends on the windows beside it, and only CPUs have the operations. Here the weights stay in 8 bits and the sums
are floats: one file that answers alike in every batch and on every provider.
"""

import hashlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

ENCODER_SHA256 = "1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751"
LAYERS = (1, 2, 3, 4)
"""Counted from 0; what comes after them knows words, not voices."""
WIDTH = 416
STATISTICS = 3
FEATURE_COUNT = len(LAYERS) * STATISTICS * WIDTH
LOUDNESS = 0.06
"""Root mean square of what the encoder hears: about that of the speech it was trained on."""
SILENCE = 1e-4
"""Below this loudness nothing is raised."""
DEVIATION_MIN = 1e-3
OPSET = 14
SOUND, LOUD, FEATURES = "sound", "loud", "features"


def to_layer_output(layer):
    return f"/layers.{layer}/Add_1_output_0"


def read_encoder(path):
    """Returns the published model; another file than the one these heads were fitted to is refused."""
    body = path.read_bytes()
    found = hashlib.sha256(body).hexdigest()
    if found != ENCODER_SHA256:
        raise SystemExit(f"{path}: expected SHA-256 {ENCODER_SHA256}, found {found}")
    return onnx.load_from_string(body)


def cut_encoder(model):
    """Returns the graph from the wave to the outputs of LAYERS, without the operations that nothing of these needs."""
    graph = model.graph
    needed, kept = {to_layer_output(layer) for layer in LAYERS}, []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            needed.update(node.input)
            kept.append(node)
    del graph.node[:]
    graph.node.extend(reversed(kept))
    return graph


def use_float_sums(graph):
    """Replaces each product of integers by one of floats with the same weights, still stored in 8 bits."""
    kept, scales = [], {}
    of_output = {name: node for node in graph.node for name in node.output}
    users = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    dropped = set()
    added = {}
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        quantised, weights, _, zero = node.input
        (cast,) = users[node.output[0]]
        (scaled,) = users[cast.output[0]]
        (product,) = [name for name in scaled.input if name != cast.output[0]]
        (scale,) = [name for name in of_output[product].input if name.endswith("_scale") and name in to_initialisers(graph)]
        floats = of_output[quantised].input[0]
        added[id(scaled)] = make_float_product(floats, (weights, zero, scale), scaled.output[0])
        dropped |= {id(node), id(cast), id(of_output[product]), id(of_output[quantised])}
    for node in graph.node:
        if id(node) in added:
            kept.extend(added[id(node)])
        elif id(node) not in dropped:
            kept.append(node)
    del graph.node[:]
    graph.node.extend(kept)


def to_initialisers(graph):
    return {tensor.name for tensor in graph.initializer}


def make_float_product(floats, quantised, output):
    weights, zero, scale = quantised
    stem = weights.removesuffix("_quantized")
    return [
        helper.make_node("Cast", [weights], [f"{stem}/cast"], to=TensorProto.FLOAT),
        helper.make_node("Cast", [zero], [f"{stem}/zero"], to=TensorProto.FLOAT),
        helper.make_node("Sub", [f"{stem}/cast", f"{stem}/zero"], [f"{stem}/centred"]),
        helper.make_node("Mul", [f"{stem}/centred", scale], [f"{stem}/float"]),
        helper.make_node("MatMul", [floats, f"{stem}/float"], [output]),
    ]


class Builder:
    """Appends operations and constants to a graph."""

    def __init__(self, graph):
        self.graph = graph

    def constant(self, name, value):
        self.graph.initializer.append(numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def add(self, kind, inputs, output, **attributes):
        self.graph.node.append(helper.make_node(kind, inputs, [output], **attributes))
        return output


def make_loudness(sound):
    """Returns the operations and constants that bring each window to LOUDNESS."""
    graph = onnx.GraphProto()
    builder = Builder(graph)
    builder.constant("loudness", numpy.array([LOUDNESS], dtype=numpy.float32))
    builder.constant("silence", numpy.array([SILENCE], dtype=numpy.float32))
    squares = builder.add("Mul", [sound, sound], "loudness/squares")
    mean = builder.add("ReduceMean", [squares], "loudness/mean", axes=[1], keepdims=1)
    root = builder.add("Sqrt", [mean], "loudness/root")
    floor = builder.add("Max", [root, "silence"], "loudness/floor")
    gain = builder.add("Div", ["loudness", floor], "loudness/gain")
    builder.add("Mul", [sound, gain], LOUD)
    return graph


def add_statistics(builder):
    """Adds mean, log deviation and log mean step over time of each layer; returns the name of [N, FEATURE_COUNT]."""
    for name, value in (("one", 1), ("most", 2**31 - 1), ("time", 1), ("start", 0), ("end", -1)):
        builder.constant(f"statistics/{name}", numpy.array([value], dtype=numpy.int64))
    builder.constant("statistics/least", numpy.array([DEVIATION_MIN], dtype=numpy.float32))
    parts = []
    for layer in LAYERS:
        values, stem = to_layer_output(layer), f"statistics/{layer}"
        mean = builder.add("ReduceMean", [values], f"{stem}/mean", axes=[1], keepdims=1)
        centred = builder.add("Sub", [values, mean], f"{stem}/centred")
        squares = builder.add("Mul", [centred, centred], f"{stem}/squares")
        variance = builder.add("ReduceMean", [squares], f"{stem}/variance", axes=[1], keepdims=0)
        deviation = builder.add("Sqrt", [variance], f"{stem}/deviation")
        later = builder.add("Slice", [values, "statistics/one", "statistics/most", "statistics/time"], f"{stem}/later")
        earlier = builder.add("Slice", [values, "statistics/start", "statistics/end", "statistics/time"], f"{stem}/earlier")
        step = builder.add("Sub", [later, earlier], f"{stem}/step")
        size = builder.add("Abs", [step], f"{stem}/size")
        travel = builder.add("ReduceMean", [size], f"{stem}/travel", axes=[1], keepdims=0)
        parts.append(builder.add("Squeeze", [mean, "statistics/time"], f"{stem}/centre"))
        for what, value in (("deviation", deviation), ("travel", travel)):
            raised = builder.add("Add", [value, "statistics/least"], f"{stem}/{what}/raised")
            parts.append(builder.add("Log", [raised], f"{stem}/{what}/log"))
    return builder.add("Concat", parts, FEATURES, axis=1)


def make_features_graph(path, window_samples):
    """Returns the graph from sound [count, window_samples] to features [count, FEATURE_COUNT]."""
    encoder = cut_encoder(read_encoder(path))
    use_float_sums(encoder)
    wave = encoder.input[0].name
    loudness = make_loudness(SOUND)
    for node in encoder.node:
        for index, name in enumerate(node.input):
            if name == wave:
                node.input[index] = LOUD
    nodes = [*loudness.node, *encoder.node]
    sound = helper.make_tensor_value_info(SOUND, TensorProto.FLOAT, ["count", window_samples])
    features = helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, ["count", FEATURE_COUNT])
    graph = helper.make_graph(nodes, "speech", [sound], [features], [*loudness.initializer, *encoder.initializer])
    add_statistics(Builder(graph))
    drop_unused(graph)
    return graph


def drop_unused(graph):
    used = {name for node in graph.node for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)


def write_model(graph, path):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="assay")
    model.ir_version = 7
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
