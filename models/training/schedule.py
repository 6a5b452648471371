"""Owns what every training here shares: its length, its learning rate and the average of its weights."""

import math

import torch


def parse_folds(text):
    return tuple(sorted(int(fold) for fold in text.split(",")))


def to_progress(training, arguments):
    """Returns the share that is done: of --steps where they are given, else of --minutes over all runs."""
    if arguments.steps:
        return training.step / arguments.steps
    return training.elapsed_s / (arguments.minutes * 60)


def to_learning_rate(progress, highest, warm_up_share):
    """Linear warm-up, then half a cosine down to a hundredth."""
    if progress < warm_up_share:
        return highest * (0.05 + 0.95 * progress / warm_up_share)
    fall = min(1.0, (progress - warm_up_share) / (1 - warm_up_share))
    return highest * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * fall)))


@torch.no_grad()
def update_average(average, network, step, decay_max):
    """Averages the weights over the last steps, in place; early on over fewer, to forget the start."""
    decay = min(decay_max, (1 + step) / (10 + step))
    mine, theirs = average.state_dict(), network.state_dict()
    for name, value in mine.items():
        if value.is_floating_point():
            value.lerp_(theirs[name], 1 - decay)
        else:
            value.copy_(theirs[name])
