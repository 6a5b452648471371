"""Owns how TensorFlow.js keeps a model: topology and weights' manifest as JSON, shards of bytes beside it."""

import json

import numpy


def read_model(folder):
    """Returns (topology, {name: array}); quantised weights become the floats that TensorFlow.js computes with.

    Raises ValueError if the shards have another length than the manifest says.
    """
    content = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    weights = {}
    for group in content["weightsManifest"]:
        data = b"".join((folder / path).read_bytes() for path in group["paths"])
        offset = 0
        for spec in group["weights"]:
            values = read_values(spec, data, offset)
            offset += values.nbytes
            weights[spec["name"]] = to_floats(spec, values)
        if offset != len(data):
            raise ValueError(f"{folder.name}: the weights have {len(data)} bytes, not {offset}")
    return content["modelTopology"], weights


def read_values(spec, data, offset):
    dtype = numpy.dtype(spec.get("quantization", spec)["dtype"])
    count = int(numpy.prod(spec["shape"], dtype=int))
    return numpy.frombuffer(data, dtype, count, offset).reshape(spec["shape"])


def to_floats(spec, values):
    quantised = spec.get("quantization", {})
    if "scale" in quantised:
        return (values * quantised["scale"] + quantised["min"]).astype(numpy.float32)
    return values.astype(spec["dtype"])
