"""Owns how the weights of a large network are stored: sixteen bits each, half the size; the runtime computes with all 32."""

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper


@torch.no_grad()
def round_weights(network):
    """Rounds every kernel to what sixteen bits hold. In place."""
    for parameter in network.parameters():
        if parameter.ndim > 1:
            parameter.copy_(parameter.half().float())
    return network


def store_in_halves(path):
    """Rewrites a model's kernels as 16-bit floats that are cast when it is loaded."""
    model = onnx.load(path)
    graph, casts = model.graph, []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != numpy.float32 or values.ndim < 2:
            continue
        stored = f"{tensor.name}_stored"
        casts.append(helper.make_node("Cast", [stored], [tensor.name], to=TensorProto.FLOAT))
        tensor.CopyFrom(numpy_helper.from_array(values.astype(numpy.float16), stored))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.save(model, path)
