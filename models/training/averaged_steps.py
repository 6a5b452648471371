"""Steps that train a pretrained network as a whole: rates warm up, weights are pulled towards the first ones, an average of them is kept."""

import copy

import torch

LABEL_SMOOTHING = 0.03
GRADIENT_NORM_MAX = 1.0


def smooth(labels):
    """Returns the targets of labels in 0..1: a label may be wrong."""
    return labels * (1 - 2 * LABEL_SMOOTHING) + LABEL_SMOOTHING


class AveragedSteps:
    """The optimiser of a network, the network's first weights and their average over the last steps.

    `groups` are those of the optimiser, each with the rate that it warms up to as `full`; `pull` is how far a step of the
    rate .001 leads back to the first weights, `decay` how much of the average a step leaves.
    """

    def __init__(self, network, groups, *, rate, pull, decay, warm_up_steps, fused=False):
        self.first, self.average = (copy.deepcopy(network).requires_grad_(False) for _ in range(2))
        self.optimiser = torch.optim.AdamW(groups, lr=rate, weight_decay=0.0, fused=fused)
        self.pull, self.decay, self.warm_up_steps = pull, decay, warm_up_steps
        others = {id(one): pair for one, *pair in zip(network.parameters(), self.first.parameters(), self.average.parameters())}
        self.others = [[list(those) for those in zip(*(others[id(one)] for one in group["params"]))] for group in groups]
        self.count = 0

    def take(self, loss):
        groups = self.optimiser.param_groups
        for group in groups:
            group["lr"] = group["full"] * min(1.0, (self.count + 1) / self.warm_up_steps)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([one for group in groups for one in group["params"]], GRADIENT_NORM_MAX)
        self.optimiser.step()
        self.count += 1
        self.settle()

    @torch.no_grad()
    def settle(self):
        decay = min(self.decay, self.count / (self.count + 10))
        for group, (first, average) in zip(self.optimiser.param_groups, self.others):
            if self.pull:
                torch._foreach_lerp_(group["params"], first, self.pull * group["lr"] * 1000)
            torch._foreach_lerp_(average, group["params"], 1 - decay)
