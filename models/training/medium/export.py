"""Stage 4: writes head.json and a graph of the origin network that says the medium too: outputs `logit` as before, `medium` and
`medium_small` [count, media], the head's parts of each patch. What the appliance takes is the mean of `medium` over the places that it
looks at, plus `medium_small` of the whole picture made small. Checks that `logit` is the same to the last bit.
"""

import argparse
import json
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FEATURES, FEATURE_COUNT = "/transformer/Concat_3_output_0", 1536
"""As in extract.py, which needs the pictures' decoders too."""
OUTPUTS = ("medium", "medium_small")
DIGITS = 6
TOLERANCE = 2e-3


def read_head(path):
    stored = numpy.load(path)
    if str(stored["input"]) != "both":
        raise SystemExit(f"expected a head on places and small picture, found {stored['input']}")
    weights = stored["weights"]
    parts = {"medium": (weights[:FEATURE_COUNT], stored["bias"]), "medium_small": (weights[FEATURE_COUNT:], numpy.zeros_like(stored["bias"]))}
    return [str(medium) for medium in stored["media"]], parts


def write_json(path, media, parts):
    def rounded(values):
        return [float(f"{value:.{DIGITS}g}") for value in values]

    body = {
        "media": media, "features": FEATURES, "bias": rounded(parts["medium"][1]),
        **{name: {medium: rounded(column) for medium, column in zip(media, weights.T)} for name, (weights, _) in parts.items()},
    }
    path.write_text(json.dumps(body) + "\n", encoding="utf-8")


def graft(model, parts):
    for name, (weights, bias) in parts.items():
        model.graph.initializer.append(numpy_helper.from_array(weights.astype(numpy.float32), f"{name}.weights"))
        model.graph.initializer.append(numpy_helper.from_array(bias.astype(numpy.float32), f"{name}.bias"))
        model.graph.node.append(helper.make_node("Gemm", [FEATURES, f"{name}.weights", f"{name}.bias"], [name], name=name))
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["count", len(bias)]))
    onnx.checker.check_model(model)
    return model.SerializeToString()


def check(before, after, parts):
    patches = numpy.random.default_rng(0).random((3, 3, 128, 128), dtype=numpy.float32)
    shown = onnx.load_from_string(before)
    shown.graph.output.append(helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, ["count", FEATURE_COUNT]))
    first, second = (onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]) for model in (shown.SerializeToString(), after))
    logit, features = first.run(["logit", FEATURES], {"pixels": patches})
    again, *said = second.run(["logit", *OUTPUTS], {"pixels": patches})
    if not numpy.array_equal(logit, again):
        raise SystemExit("the origin's logits are not what they were")
    for name, found in zip(OUTPUTS, said):
        weights, bias = parts[name]
        if numpy.abs(found - (features @ weights + bias)).max() > TOLERANCE:
            raise SystemExit(f"{name}: the graph does not say what the head says")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--head", type=Path, required=True, help="head.npz of head.py")
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of assay-transformer")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_name("head.json"))
    parser.add_argument("--out", type=Path, required=True, help="the graph with all outputs")
    arguments = parser.parse_args()
    media, parts = read_head(arguments.head)
    write_json(arguments.json, media, parts)
    before = arguments.model.read_bytes()
    after = graft(onnx.load_from_string(before), parts)
    check(before, after, parts)
    arguments.out.write_bytes(after)
    print(f"{len(before):,} -> {len(after):,} bytes, media: {', '.join(media)}")
