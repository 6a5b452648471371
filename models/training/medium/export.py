"""Stage 5: writes head.json, and a graph of the origin network that also says the medium: outputs `logit` as before and `medium`
[count, media], the head's logits of each patch. The appliance takes the mean over the places that it looks at, as of `logit`.

Checks that `logit` is the same to the last bit and that the graph's answer is the head's.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parent))
FEATURES = "/transformer/Concat_3_output_0"
"""As in extract.py, which needs the pictures' decoders too."""
DIGITS = 5
TOLERANCE = 2e-3


def read_head(path):
    stored = numpy.load(path)
    if str(stored["input"]) != "places":
        raise SystemExit(f"expected a head on the features of the places alone, found {stored['input']}: it cannot ride in the graph")
    return [str(medium) for medium in stored["media"]], stored["weights"], stored["bias"]


def write_json(path, media, weights, bias):
    def rounded(values):
        return [float(f"{value:.{DIGITS}g}") for value in values]

    body = {"media": media, "features": FEATURES, "bias": rounded(bias), "weights": {medium: rounded(column) for medium, column in zip(media, weights.T)}}
    path.write_text(json.dumps(body) + "\n", encoding="utf-8")


def graft(model, weights, bias):
    graph = model.graph
    graph.initializer.append(numpy_helper.from_array(weights.astype(numpy.float32), "medium.weights"))
    graph.initializer.append(numpy_helper.from_array(bias.astype(numpy.float32), "medium.bias"))
    graph.node.append(helper.make_node("Gemm", [FEATURES, "medium.weights", "medium.bias"], ["medium"], name="medium"))
    graph.output.append(helper.make_tensor_value_info("medium", TensorProto.FLOAT, ["count", len(bias)]))
    onnx.checker.check_model(model)
    return model


def check(before, after, weights, bias):
    patches = numpy.random.default_rng(0).random((3, 3, 128, 128), dtype=numpy.float32)
    shown = onnx.load_from_string(before)
    shown.graph.output.append(helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, ["count", len(weights)]))
    run = [onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]) for model in (shown.SerializeToString(), after)]
    logit, features = run[0].run(["logit", FEATURES], {"pixels": patches})
    again, medium = run[1].run(["logit", "medium"], {"pixels": patches})
    if not numpy.array_equal(logit, again):
        raise SystemExit("the origin's logits are not what they were")
    if numpy.abs(medium - (features @ weights + bias)).max() > TOLERANCE:
        raise SystemExit("the graph does not say what the head says")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--head", type=Path, required=True, help="head.npz of head.py")
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of assay-transformer")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_name("head.json"))
    parser.add_argument("--out", type=Path, required=True, help="the graph with both outputs")
    arguments = parser.parse_args()
    media, weights, bias = read_head(arguments.head)
    write_json(arguments.json, media, weights, bias)
    before = arguments.model.read_bytes()
    after = graft(onnx.load_from_string(before), weights, bias).SerializeToString()
    check(before, after, weights, bias)
    arguments.out.write_bytes(after)
    print(f"{len(before):,} -> {len(after):,} bytes, media: {', '.join(media)}")
