"""Makes the graph that gives frames beside their averages: `python3 frames_graph.py --encoder FILE --out FILE`; hear-files.ts runs it, frame_heads.py reads it."""

import argparse
from pathlib import Path

from onnx import TensorProto, helper

from encoder_graph import LAYERS, WIDTH, make_features_graph, to_layer_output, write_model

WINDOW_SAMPLES = 32_000

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    graph = make_features_graph(options.encoder, WINDOW_SAMPLES)
    for layer in LAYERS:
        graph.output.append(helper.make_tensor_value_info(to_layer_output(layer), TensorProto.FLOAT, ["count", "time", WIDTH]))
    write_model(graph, options.out)
