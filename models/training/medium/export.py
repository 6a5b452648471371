"""Stage 5: writes the pack with the head in the graph and the bounds by what it says. The graph gets one more output, `origin_and_medium`
[count, 1 + media]: the logit of each patch, as `logit` has it, and the head's logits. Checks that `logit` is the same to the last bit.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import sys

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from golden_patches import make_golden_planes

FEATURES, FEATURE_COUNT = "/transformer/Concat_3_output_0", 1536
"""As in extract.py, which needs the pictures' decoders too."""
OUTPUT, HEAD, COLUMN = "origin_and_medium", "medium", "logit_column"
GOLDEN_COUNT, GOLDEN_DIGITS = 8, 6
TOLERANCE = 2e-3


def graft(model, weights, bias):
    """Returns the graph with the further output; one that has it gets this head in place of its own."""
    graph = model.graph
    names = {f"{HEAD}.weights": weights, f"{HEAD}.bias": bias, f"{COLUMN}.axis": numpy.array([1])}
    for parts in (graph.initializer, graph.node, graph.output):
        for part in [part for part in parts if part.name in {*names, HEAD, COLUMN, OUTPUT}]:
            parts.remove(part)
    for name, values in names.items():
        graph.initializer.append(numpy_helper.from_array(values, name))
    graph.node.append(helper.make_node("Gemm", [FEATURES, f"{HEAD}.weights", f"{HEAD}.bias"], [HEAD], name=HEAD))
    graph.node.append(helper.make_node("Unsqueeze", ["logit", f"{COLUMN}.axis"], [COLUMN], name=COLUMN))
    graph.node.append(helper.make_node("Concat", [COLUMN, HEAD], [OUTPUT], name=OUTPUT, axis=1))
    graph.output.append(helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["count", 1 + len(bias)]))
    onnx.checker.check_model(model)
    return model.SerializeToString()


def open_graph(body):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(body, options, providers=["CPUExecutionProvider"])


def check(before, after, weights, bias):
    """Returns the golden outputs."""
    planes = make_golden_planes(GOLDEN_COUNT, 128)
    shown = onnx.load_from_string(before)
    shown.graph.output.append(helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, ["count", FEATURE_COUNT]))
    logit, features = open_graph(shown.SerializeToString()).run(["logit", FEATURES], {"pixels": planes})
    again, said = open_graph(after).run(["logit", OUTPUT], {"pixels": planes})
    if not (numpy.array_equal(logit, again) and numpy.array_equal(logit, said[:, 0])):
        raise SystemExit("the origin's logits are not what they were")
    if numpy.abs(said[:, 1:] - (features @ weights + bias)).max() > TOLERANCE:
        raise SystemExit("the graph does not say what the head says")
    return [round(float(value), GOLDEN_DIGITS) for value in said.reshape(-1)]


def describe(manifest, media, fitted, body, expected):
    """Writes what is new into the description of the pack."""
    manifest.update(media=media, sha256=hashlib.sha256(body).hexdigest())
    manifest["output"]["name"] = OUTPUT
    manifest["decision"]["noPhotograph"] = {"inconclusiveLow": manifest["decision"]["inconclusiveLow"], **fitted["noPhotograph"]}
    manifest["golden"].update(items=GOLDEN_COUNT, expected=expected)
    for figures in manifest["figures"]:
        measured = fitted["kinds"][figures["tier"]]
        known = {kind["kind"] for kind in measured}
        figures["kinds"] = [*(kind for kind in figures["kinds"] if kind["kind"] not in known), *measured]


def main(arguments):
    stored = numpy.load(arguments.head)
    weights, bias = stored["weights"], stored["bias"]
    model, description = arguments.pack / "model.onnx", arguments.pack / "model.json"
    before = model.read_bytes()
    body = graft(onnx.load_from_string(before), weights, bias)
    expected = check(before, body, weights, bias)
    fitted = json.loads(arguments.bounds.read_text(encoding="utf-8"))
    manifest = json.loads(description.read_text(encoding="utf-8"))
    manifest["version"] = arguments.version
    describe(manifest, stored["media"].tolist(), fitted, body, expected)
    model.write_bytes(body)
    description.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(before):,} -> {len(body):,} bytes, media: {', '.join(manifest['media'])}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--head", type=Path, required=True, help="head.npz of head.py")
    parser.add_argument("--bounds", type=Path, required=True, help="what bounds.py wrote")
    parser.add_argument("--version", required=True)
    parser.add_argument("--pack", type=Path, required=True, help="the pack of assay-transformer, which is written over")
    main(parser.parse_args())
