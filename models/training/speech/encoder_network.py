"""Owns the encoder as a network that can learn: Moonshine base cut after its fifth layer, statistics over time, lines and networks.

What the graph of the pack computes (encoder_graph.py), operation by operation, in floats: one logit for each window of 2 s.
"""

import re

import numpy
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

from encoder_graph import DEVIATION_MIN, LAYERS, LOUDNESS, SILENCE, WIDTH, cut_encoder, read_encoder, use_float_sums
from lines import CLIP_AT

HEADS, ROTATED = 8, 32
"""Attention heads, 52 wide; of each the first 32 numbers are rotated by their place in time."""
BLOCKS = max(LAYERS) + 1
SQUARE_MIN = 1e-10
"""Keeps the slope of a square root finite; far below what a float of the graph can tell."""


class Block(nn.Module):
    """A layer of the transformer: norms before attention and before the two products, no biases but in those."""

    def __init__(self):
        super().__init__()
        self.attention_norm = nn.LayerNorm(WIDTH, bias=False)
        self.query, self.key, self.value, self.dense = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.product_norm = nn.LayerNorm(WIDTH, bias=False)
        self.first, self.second = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, values, cosines, sines):
        rows = self.attention_norm(values)
        query, key, value = (part(rows).unflatten(2, (HEADS, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
        # Written out: the fused attention's way back takes a third of a step on a CPU.
        weights = rotate(query, cosines, sines) @ rotate(key, cosines, sines).transpose(2, 3) * (WIDTH // HEADS) ** -0.5
        seen = weights.softmax(dim=-1).to(value.dtype) @ value
        values = values + self.dense(seen.transpose(1, 2).flatten(2))
        return values + self.second(functional.gelu(self.first(self.product_norm(values))))


def rotate(values, cosines, sines):
    """Turns neighbours among the first ROTATED numbers of each head."""
    turned, rest = values[..., :ROTATED], values[..., ROTATED:]
    crossed = torch.stack([-turned[..., 1::2], turned[..., 0::2]], dim=-1).flatten(-2)
    return torch.cat([turned * cosines + crossed * sines, rest], dim=-1)


def convolve(values, layer):
    """What the convolution gives, by one product over its windows: its own way back is twice as slow on a CPU."""
    (size,), (stride,) = layer.kernel_size, layer.stride
    windows = values.unfold(2, size, stride).transpose(1, 2).flatten(2)
    return functional.linear(windows, layer.weight.flatten(1), layer.bias).transpose(1, 2)


class Encoder(nn.Module):
    """Sound [windows, samples] to the outputs of LAYERS, each [windows, frames, WIDTH]."""

    def __init__(self):
        super().__init__()
        self.wave = nn.Conv1d(1, WIDTH, 127, stride=64, bias=False)
        self.norm = nn.GroupNorm(1, WIDTH, eps=1e-5)
        self.middle = nn.Conv1d(WIDTH, 2 * WIDTH, 7, stride=3)
        self.last = nn.Conv1d(2 * WIDTH, WIDTH, 3, stride=2)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.register_buffer("turns", torch.zeros(ROTATED // 2))

    def forward(self, sound):
        loudness = sound.square().mean(dim=1, keepdim=True).sqrt().clamp(min=SILENCE)
        values = torch.tanh(convolve((sound * (LOUDNESS / loudness))[:, None], self.wave))
        values = functional.gelu(convolve(functional.gelu(convolve(self.norm(values), self.middle)), self.last))
        values = values.transpose(1, 2)
        angles = torch.arange(values.shape[1], device=values.device)[:, None] * self.turns
        angles = angles.repeat_interleave(2, dim=1)
        outputs = []
        for number, block in enumerate(self.blocks):
            values = block(values, angles.cos().to(values.dtype), angles.sin().to(values.dtype))
            if number in LAYERS:
                outputs.append(values)
        return outputs


def to_statistics(outputs):
    """Returns mean, log deviation and log mean step over time of each layer, [windows, FEATURE_COUNT], in single precision."""
    parts = []
    for values in outputs:
        values = values.float()
        deviation = (values.var(dim=1, correction=0) + SQUARE_MIN).sqrt()
        travel = (values[:, 1:] - values[:, :-1]).abs().mean(dim=1)
        parts += [values.mean(dim=1), (deviation + DEVIATION_MIN).log(), (travel + DEVIATION_MIN).log()]
    return torch.cat(parts, dim=1)


class Speech(nn.Module):
    """The encoder and what is read from its statistics: sound to one logit a window."""

    def __init__(self, encoder, heads, network):
        """`heads` (lines.py) and `network` (network.py) give logits in units of their spread; they count half each."""
        super().__init__()
        self.encoder = encoder
        self.register_buffer("means", torch.from_numpy(heads.means))
        self.register_buffer("scales", torch.from_numpy(heads.scales))
        self.line = nn.Parameter(torch.from_numpy(heads.weights / len(LAYERS) / 2))
        self.hidden = nn.Parameter(torch.from_numpy(network.hidden))
        self.offsets = nn.Parameter(torch.from_numpy(network.offsets))
        self.last = nn.Parameter(torch.from_numpy(network.last / 2))
        self.bias = nn.Parameter(torch.tensor(float(heads.biases.mean()) / 2 + float(network.bias) / 2))

    def read(self, rows):
        """Returns the logits of standardised, clipped statistics."""
        return rows @ self.line + (rows @ self.hidden + self.offsets).relu() @ self.last + self.bias

    def standardise(self, sound):
        return ((to_statistics(self.encoder(sound)) - self.means) * self.scales).clamp(-CLIP_AT, CLIP_AT)

    def forward(self, sound):
        return self.read(self.standardise(sound))


def load_encoder(path):
    """Returns the Encoder with the weights of the published file."""
    graph = cut_encoder(read_encoder(path))
    use_float_sums(graph)
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    encoder = Encoder()
    with torch.no_grad():
        for place, name in find_weights(graph).items():
            encoder.get_parameter(place).copy_(torch.from_numpy(numpy.array(read_weight(stored, place, name))))
        encoder.turns.copy_(torch.from_numpy(numpy.array(stored["/rotary_emb/Cast_1_output_0"])).flatten())
    return encoder


CONVOLUTIONS = {"conv1": "wave", "conv2": "middle", "conv3": "last"}
PRODUCTS = {
    "self_attn/q_proj": "query", "self_attn/k_proj": "key", "self_attn/v_proj": "value", "self_attn/dense": "dense",
    "mlp/fc1": "first", "mlp/fc2": "second",
}
NORMS = {"input_layernorm": "attention_norm", "post_attention_layernorm": "product_norm"}


def find_weights(graph):
    """Returns {parameter of Encoder: name of the tensor of the graph}; of a product in bytes the stem of its three tensors."""
    found = {"norm.weight": None, "norm.bias": None}
    for node in graph.node:
        if node.op_type == "Conv":
            place = CONVOLUTIONS[node.name.split("/")[1]]
            found[f"{place}.weight"] = node.input[1].removesuffix("_add_tensor")
            if len(node.input) > 2:
                found[f"{place}.bias"] = node.input[2]
        elif node.op_type == "MatMul" and (match := re.fullmatch(r"/layers\.(\d)/(\w+/\w+)/MatMul_output_0", node.output[0])):
            found[f"blocks.{match[1]}.{PRODUCTS[match[2]]}.weight"] = node.input[1].removesuffix("/float")
        elif node.op_type == "Mul" and (match := re.fullmatch(r"layers\.(\d)\.(\w+layernorm)\.weight", node.input[1])):
            found[f"blocks.{match[1]}.{NORMS[match[2]]}.weight"] = node.input[1]
        elif node.op_type == "Add" and (match := re.fullmatch(r"layers\.(\d)\.mlp\.fc([12])\.bias", node.input[0])):
            found[f"blocks.{match[1]}.{('first', 'second')[int(match[2]) - 1]}.bias"] = node.input[0]
        elif node.output[0] == "/groupnorm/Mul_output_0":
            found["norm.weight"] = node.input[1]
        elif node.output[0] == "/groupnorm/Add_output_0":
            found["norm.bias"] = node.input[1]
    return found


def read_weight(stored, place, name):
    """Returns the floats of one tensor, in the order of torch."""
    if name in stored:
        return stored[name].reshape(-1)
    scale, zero, integers = (stored[f"{name}_{what}"].astype(numpy.float32) for what in ("scale", "zero_point", "quantized"))
    # Convolutions were stored as products plus an offset, products as differences from a zero.
    return integers * scale + zero if place.split(".")[0] in CONVOLUTIONS.values() else ((integers - zero) * scale).T
