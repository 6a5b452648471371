"""Owns the transformer with every block open to training, and the file of its first weights that travels.

Blocks, embedding, positions and class token carry the names of `../vision_transformer.py`, so that a trained network goes back
into the shipped graph.
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from linear import SPREAD_MIN, LinearHead  # noqa: E402
from vision_transformer import FEATURES_PER_TAP, HEAD_COUNT, MARGIN_PX, PATCH_SIDE, TOKEN_SIDE, WIDTH, Block  # noqa: E402

MAPS = ("query", "key", "value", "output", "rise", "fall")
NORMS = ("norm1", "norm2")
EMBEDDING = ("kernel", "bias", "positions", "class_token")


class OpenBlock(Block):
    """The shipped block with open weights, for any number of tokens, with the attention in one call."""

    def __init__(self, stored, prefix):
        # Not of Block: what travels has its own names, and no weight of it stays.
        nn.Module.__init__(self)
        names = [f"{part}_{kind}" for part in (*NORMS, *MAPS) for kind in ("weight", "bias")]
        self.parts = nn.ParameterDict({name: nn.Parameter(stored[f"{prefix}parts.{name}"].float()) for name in names})
        self.scale1 = nn.Parameter(stored[f"{prefix}scale1"].float())
        self.scale2 = nn.Parameter(stored[f"{prefix}scale2"].float())
        self.enter = lambda name, tokens: tokens

    def split(self, name, tokens):
        return self.apply_linear(name, tokens).unflatten(2, (HEAD_COUNT, WIDTH // HEAD_COUNT)).transpose(1, 2)

    def attend(self, tokens):
        tokens = self.enter("attention", tokens)
        joined = functional.scaled_dot_product_attention(*(self.split(name, tokens) for name in MAPS[:3]))
        return self.apply_linear("output", self.enter("output", joined.transpose(1, 2).flatten(2)))


class WholeNetwork(nn.Module):
    """Maps uint8 patches [N, 128, 128, 3] to a logit each: the mean of the taps' regressions over their deviations."""

    def __init__(self, stored, taps):
        super().__init__()
        self.taps = taps
        for name in EMBEDDING:
            setattr(self, name, nn.Parameter(stored[name].float()))
        self.blocks = nn.ModuleList(OpenBlock(stored, f"blocks.{number}.") for number in range(taps[-1]))
        self.heads = nn.ModuleList(LinearHead(FEATURES_PER_TAP) for _ in taps)
        self.register_buffer("deviations", torch.ones(len(taps)))
        self.load_heads(stored)

    @torch.no_grad()
    def load_heads(self, stored):
        for number, (tap, head) in enumerate(zip(self.taps, self.heads)):
            if f"heads.{tap}.centre" in stored:
                head.centre.copy_(stored[f"heads.{tap}.centre"])
                head.scale.copy_(stored[f"heads.{tap}.scale"])
                head.linear.weight.copy_(stored[f"heads.{tap}.weight"])
                head.linear.bias.copy_(stored[f"heads.{tap}.bias"])
                self.deviations[number] = stored[f"heads.{tap}.deviation"]
            else:
                nn.init.zeros_(head.linear.weight)
                nn.init.zeros_(head.linear.bias)

    @torch.no_grad()
    def standardise_new_taps(self, patches, known):
        """A tap that the pack has no regression for begins at zero, on features as these patches spread them."""
        for number, (tap, features) in enumerate(self.read_taps(patches)):
            if tap not in known:
                self.heads[number].centre.copy_(features.mean(dim=0))
                self.heads[number].scale.copy_(1 / (features.std(dim=0) + SPREAD_MIN))

    def embed(self, patches, kept=None):
        """Returns tokens [N, 1 + T, WIDTH] of all or of the kept of the 81 places."""
        pixels = patches.permute(0, 3, 1, 2).float() / 255
        inner = pixels[:, :, MARGIN_PX : PATCH_SIDE - MARGIN_PX, MARGIN_PX : PATCH_SIDE - MARGIN_PX]
        embedded = functional.conv2d(inner, self.kernel, self.bias, stride=TOKEN_SIDE).flatten(2).transpose(1, 2) + self.positions
        if kept is not None:
            embedded = embedded[:, kept]
        return torch.cat([self.class_token.expand(len(patches), -1, -1), embedded], dim=1)

    def read_taps(self, patches, kept=None):
        """Yields (number of the block, its class token and the mean of the others [N, FEATURES_PER_TAP])."""
        tokens = self.embed(patches, kept)
        for number, block in enumerate(self.blocks, start=1):
            tokens = block(tokens)
            if number in self.taps:
                yield number, torch.cat([tokens[:, 0], tokens[:, 1:].mean(dim=1)], dim=1).float()

    def forward(self, patches, kept=None):
        read = zip(self.heads, self.read_taps(patches, kept), self.deviations)
        return torch.stack([head(features) / by for head, (_, features), by in read]).mean(dim=0)


def gather_first_weights(weights_path, pack_model, depth):
    """Returns {name: float16 tensor} of the pretrained blocks and of the pack's heads: what travels."""
    # Only here: the machine that trains needs neither the package's file nor the pack.
    import onnx
    from onnx import numpy_helper
    from vision_transformer import TAPS, VisionTransformer, read_weights

    transformer, stored = VisionTransformer(weights_path), {}
    for name in EMBEDDING:
        stored[name] = getattr(transformer, name)
    weights = read_weights(weights_path)
    for number in range(depth):
        for name, value in Block(weights, f"encoder.layer.{number}.").state_dict().items():
            stored[f"blocks.{number}.{name}"] = value
    arrays = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in onnx.load(pack_model).graph.initializer}
    for number, tap in enumerate(TAPS):
        prefix = f"heads.heads.{number}."
        for part, name in (("centre", "centre"), ("scale", "scale"), ("weight", "linear.weight_stored"), ("bias", "linear.bias")):
            stored[f"heads.{tap}.{part}"] = arrays[f"{prefix}{name}"]
        stored[f"heads.{tap}.deviation"] = arrays["heads.deviations"][number]
    wide = ("centre", "scale", "deviation", "bias")
    return {name: value.detach().float() if name.startswith("heads") and name.endswith(wide) else value.detach().half() for name, value in stored.items()}


if __name__ == "__main__":
    _, weights_path, pack_model, depth, out = sys.argv
    torch.save(gather_first_weights(weights_path, pack_model, int(depth)), out)
