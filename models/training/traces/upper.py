"""Owns the upper blocks and the heads that are trained on what the lower blocks leave.

They start as the shipped pack has them: the blocks from the pretrained weights, the heads from the pack's graph.
"""

import sys
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from linear import LinearHead  # noqa: E402
from vision_transformer import FEATURES_PER_TAP, HEAD_COUNT, TAPS, WIDTH, Block, read_weights  # noqa: E402


class TrainedBlock(Block):
    """The same block for any number of tokens, so that a step may see some of them only, with the attention in one call."""

    def split(self, name, tokens):
        return self.apply_linear(name, tokens).unflatten(2, (HEAD_COUNT, WIDTH // HEAD_COUNT)).transpose(1, 2)

    def attend(self, tokens):
        tokens = self.enter("attention", tokens)
        query, key, value = (self.split(name, tokens) for name in ("query", "key", "value"))
        joined = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        return self.apply_linear("output", self.enter("output", joined))


class UpperBlocks(nn.Module):
    """Maps the tokens behind block TAPS[0] to a logit a patch: the mean of both taps' regressions over their deviations."""

    def __init__(self, weights_path, pack_model):
        super().__init__()
        weights = read_weights(weights_path)
        first, last = TAPS
        self.blocks = nn.ModuleList(TrainedBlock(weights, f"encoder.layer.{index}.") for index in range(first, last))
        self.blocks.requires_grad_(True)
        self.heads = nn.ModuleList(LinearHead(FEATURES_PER_TAP) for _ in TAPS)
        self.register_buffer("deviations", torch.ones(len(TAPS)))
        self.load_heads(pack_model)

    @torch.no_grad()
    def load_heads(self, path):
        arrays = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()).float() for one in onnx.load(path).graph.initializer}
        for number, head in enumerate(self.heads):
            prefix = f"heads.heads.{number}."
            head.centre.copy_(arrays[f"{prefix}centre"])
            head.scale.copy_(arrays[f"{prefix}scale"])
            head.linear.weight.copy_(arrays[f"{prefix}linear.weight_stored"])
            head.linear.bias.copy_(arrays[f"{prefix}linear.bias"])
        self.deviations.copy_(arrays["heads.deviations"])

    def forward(self, tokens):
        features = [pool(tokens)]
        for block in self.blocks:
            tokens = block(tokens)
        features.append(pool(tokens))
        return torch.stack([head(one) / by for head, one, by in zip(self.heads, features, self.deviations)]).mean(dim=0)


def pool(tokens):
    return torch.cat([tokens[:, 0], tokens[:, 1:].mean(dim=1)], dim=1)
