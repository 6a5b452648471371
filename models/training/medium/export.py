"""Stage 6: writes the pack with the refitted regressions, the head in the graph and the bounds by what it says. The graph gets one more output, `origin_and_medium`
[count, 2 + media]: the refitted logit of each patch, the head's logits, and the logit of before, by which frames of videos are judged.
Checks that `logit` is the same to the last bit.
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
CLIPS = ("/heads/heads.0/Clip_output_0", "/heads/heads.1/Clip_output_0")
OUTPUT, HEAD, REFIT, SEEN, ORIGIN, COLUMN = "origin_and_medium", "medium", "refit", "refit_inputs", "origin", "logit_column"
GOLDEN_COUNT, GOLDEN_DIGITS = 8, 6
TOLERANCE = 2e-3


def graft(model, head, refit):
    """Returns the graph with the further output; one that has it gets these in place of its own."""
    graph = model.graph
    names = {f"{COLUMN}.axis": numpy.array([1])}
    for name, (weights, bias) in {HEAD: head, REFIT: refit}.items():
        names |= {f"{name}.weights": weights, f"{name}.bias": bias}
    for parts in (graph.initializer, graph.node, graph.output):
        for part in [part for part in parts if part.name in {*names, HEAD, REFIT, SEEN, ORIGIN, COLUMN, OUTPUT}]:
            parts.remove(part)
    for name, values in names.items():
        graph.initializer.append(numpy_helper.from_array(values, name))
    graph.node.append(helper.make_node("Gemm", [FEATURES, f"{HEAD}.weights", f"{HEAD}.bias"], [HEAD], name=HEAD))
    graph.node.append(helper.make_node("Concat", CLIPS, [SEEN], name=SEEN, axis=1))
    graph.node.append(helper.make_node("Gemm", [SEEN, f"{REFIT}.weights", f"{REFIT}.bias"], [REFIT], name=REFIT))
    graph.node.append(helper.make_node("Unsqueeze", ["logit", f"{COLUMN}.axis"], [COLUMN], name=COLUMN))
    graph.node.append(helper.make_node("Add", [COLUMN, REFIT], [ORIGIN], name=ORIGIN))
    graph.node.append(helper.make_node("Concat", [ORIGIN, HEAD, COLUMN], [OUTPUT], name=OUTPUT, axis=1))
    graph.output.append(helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["count", 2 + len(head[1])]))
    onnx.checker.check_model(model)
    return model.SerializeToString()


def open_graph(body):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(body, options, providers=["CPUExecutionProvider"])


def check(before, after, head, refit):
    """Returns the golden outputs."""
    planes = make_golden_planes(GOLDEN_COUNT, 128)
    shown = onnx.load_from_string(before)
    for name, length in ((FEATURES, FEATURE_COUNT), *((clip, FEATURE_COUNT // 2) for clip in CLIPS)):
        shown.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["count", length]))
    logit, features, *clips = open_graph(shown.SerializeToString()).run(["logit", FEATURES, *CLIPS], {"pixels": planes})
    again, said = open_graph(after).run(["logit", OUTPUT], {"pixels": planes})
    if not (numpy.array_equal(logit, again) and numpy.array_equal(logit, said[:, -1])):
        raise SystemExit("the origin's logits are not what they were")
    expected = numpy.concatenate([logit[:, None] + numpy.concatenate(clips, axis=1) @ refit[0] + refit[1], features @ head[0] + head[1]], axis=1)
    if numpy.abs(said[:, :-1] - expected).max() > TOLERANCE:
        raise SystemExit("the graph does not say what head and refitted regression say")
    return [round(float(value), GOLDEN_DIGITS) for value in said.reshape(-1)]


def describe(manifest, media, refitted, fitted, body, expected):
    """Writes what is new into the description of the pack."""
    manifest.update(media=media, sha256=hashlib.sha256(body).hexdigest())
    manifest["output"]["name"] = OUTPUT
    manifest["calibration"].update(refitted["calibration"])
    low, decision = refitted["inconclusiveLow"], manifest["decision"]
    usual, other = fitted["bounds"], fitted["bounds"]["noPhotograph"]
    decision["frames"]["line"] = refitted["frames"]
    decision.update({**usual, "inconclusiveLow": low, "noPhotograph": {**other, "inconclusiveLow": low}})
    manifest["golden"].update(items=GOLDEN_COUNT, expected=expected)
    for figures in manifest["figures"]:
        figures["kinds"] = [*(kind for kind in figures["kinds"] if kind["label"] == "artificial"), *fitted["kinds"][figures["tier"]]]


def main(arguments):
    stored, added = numpy.load(arguments.head), numpy.load(arguments.refit / "refit.npz")
    head, refit = ((one["weights"], one["bias"]) for one in (stored, added))
    model, description = arguments.pack / "model.onnx", arguments.pack / "model.json"
    before = model.read_bytes()
    body = graft(onnx.load_from_string(before), head, refit)
    expected = check(before, body, head, refit)
    refitted, fitted = (json.loads(path.read_text(encoding="utf-8")) for path in (arguments.refit / "refit.json", arguments.bounds))
    manifest = json.loads(description.read_text(encoding="utf-8"))
    manifest["version"] = arguments.version
    describe(manifest, stored["media"].tolist(), refitted, fitted, body, expected)
    model.write_bytes(body)
    description.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(body):,} bytes, media: {', '.join(manifest['media'])}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--head", type=Path, required=True, help="head.npz of head.py")
    parser.add_argument("--refit", type=Path, required=True, help="folder that refit.py wrote")
    parser.add_argument("--bounds", type=Path, required=True, help="what bounds.py wrote")
    parser.add_argument("--version", required=True)
    parser.add_argument("--pack", type=Path, required=True, help="the pack of assay-transformer, which is written over")
    main(parser.parse_args())
