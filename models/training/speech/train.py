"""Stage 2: trains one network per left-out fold, resumable from its checkpoint.

A step's batch depends on the seed, the fold and the step's number alone, so that
a training which was stopped goes on exactly where it was. The length is given
in steps, or in minutes of training over all runs.
"""

import argparse
import copy
import json
import sys
import time
from pathlib import Path

import numpy
import torch
from torch.nn import functional

# After this folder: its modules of the same names come first.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from clips import ClipCollection
from network import TrainingNetwork
from sampling import Sampler
from schedule import to_learning_rate, to_progress, update_average
from spectrogram_extract import SpectrogramBank
from splits import FOLD_COUNT

LOG_FILE = "train.jsonl"
BATCH_SIZE = 64
LABEL_SMOOTHING = 0.05
SOURCE_LOSS_WEIGHT = 0.1
LEARNING_RATE_MAX = 2e-3
WARM_UP_SHARE = 0.1
WEIGHT_DECAY = 0.02
GRADIENT_NORM_MAX = 5.0
AVERAGE_DECAY = 0.997
CHECKPOINT_INTERVAL_S = 120
LOG_INTERVAL_STEPS = 50


def to_checkpoint_file(work, fold):
    return work / f"network-{'all' if fold is None else fold}.pt"


class Training:
    """What a checkpoint holds: networks, optimiser, step and seconds spent."""

    def __init__(self, source_count, device):
        self.device = device
        self.model = TrainingNetwork(source_count).to(device, memory_format=torch.channels_last)
        self.average = copy.deepcopy(self.model.network).requires_grad_(False)
        decayed = [p for p in self.model.parameters() if p.ndim > 1]
        others = [p for p in self.model.parameters() if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW([
            {"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0.0},
        ], lr=LEARNING_RATE_MAX)
        self.step, self.elapsed_s = 0, 0.0

    def save(self, path):
        """Writes beside and renames: a crash never leaves half a checkpoint."""
        temporary = path.with_suffix(".tmp")
        torch.save({
            "model": self.model.state_dict(), "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(), "step": self.step, "elapsed_s": self.elapsed_s,
        }, temporary)
        temporary.rename(path)

    def load(self, path):
        state = torch.load(path, map_location=self.device)
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.elapsed_s = state["step"], state["elapsed_s"]

    def take_step(self, levels, labels, sources, learning_rate):
        """Returns the two losses of one optimiser step."""
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate
        logit, source_logits = self.model(levels)
        targets = labels * (1 - 2 * LABEL_SMOOTHING) + LABEL_SMOOTHING
        label_loss = functional.binary_cross_entropy_with_logits(logit, targets)
        source_loss = functional.cross_entropy(source_logits, sources)
        self.optimiser.zero_grad(set_to_none=True)
        (label_loss + SOURCE_LOSS_WEIGHT * source_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), GRADIENT_NORM_MAX)
        self.optimiser.step()
        self.step += 1
        update_average(self.average, self.model.network, self.step, AVERAGE_DECAY)
        return label_loss.item(), source_loss.item()


def train_fold(collection, bank, fold, arguments):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(arguments.seed)
    sampler = Sampler(collection, collection.in_training(fold))
    training = Training(len(sampler.sources), device)
    checkpoint = to_checkpoint_file(arguments.work, fold)
    if checkpoint.exists():
        training.load(checkpoint)
        print(f"fold {fold}: resumed at step {training.step} after {training.elapsed_s:.0f} s", flush=True)
    losses, last_save_s = [], training.elapsed_s
    training.model.train()
    fold_seed = FOLD_COUNT if fold is None else fold
    while (progress := to_progress(training, arguments)) < 1:
        start = time.monotonic()
        torch.manual_seed(arguments.seed * 1_000_003 + training.step)
        rng = numpy.random.default_rng((arguments.seed, fold_seed, training.step))
        indices, sources = sampler.draw(BATCH_SIZE, rng)
        batch = (
            bank.draw(indices, rng), torch.arange(BATCH_SIZE).remainder(2).float(),
            torch.from_numpy(sources),
        )
        learning_rate = to_learning_rate(progress, LEARNING_RATE_MAX, WARM_UP_SHARE)
        losses.append(training.take_step(*(part.to(device) for part in batch), learning_rate))
        training.elapsed_s += time.monotonic() - start
        if training.step % LOG_INTERVAL_STEPS == 0:
            write_log(arguments.work / LOG_FILE, fold, training, losses, progress)
            losses = []
        if training.elapsed_s - last_save_s > CHECKPOINT_INTERVAL_S:
            training.save(checkpoint)
            last_save_s = training.elapsed_s
    training.save(checkpoint)


def write_log(path, fold, training, losses, progress):
    label_loss, source_loss = numpy.mean(losses, axis=0)
    line = json.dumps({
        "fold": fold, "step": training.step, "progress": round(progress, 4), "elapsed_s": round(training.elapsed_s),
        "label_loss": round(float(label_loss), 4), "source_loss": round(float(source_loss), 4),
    })
    print(line, flush=True)
    with open(path, "a", encoding="utf-8") as log:
        log.write(line + "\n")


def run(arguments):
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    collection, bank = ClipCollection(arguments.work), SpectrogramBank(arguments.work)
    folds = range(FOLD_COUNT) if arguments.fold == "each" else [None if arguments.fold == "all" else int(arguments.fold)]
    for fold in folds:
        train_fold(collection, bank, fold, arguments)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--fold", default="each", help="the fold that is left out: 0 to 4, each, or all (none left out)")
    parser.add_argument("--steps", type=int, default=900, help="optimiser steps per network")
    parser.add_argument("--minutes", type=float, default=10, help="length when --steps is 0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    run(parser.parse_args())
