"""Stage 3: trains a network on the traces of some folds, resumable from its checkpoint.

A step's batch depends on the seed and the step's number alone, so that a training
which was stopped goes on exactly where it was. The length is given in minutes
(of training, over all runs) or in steps.
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

sys.path.append(str(Path(__file__).resolve().parent.parent))

from evidence_network import make_network
from sample_cache import SampleCache
from schedule import parse_folds, to_learning_rate, to_progress, update_average
from rounds import training_folder
from traces import mirrored_channels

CHECKPOINT_FILE = "checkpoint.pt"
LOG_FILE = "train.jsonl"
BATCH = 32
EDITED_CELL_WEIGHT = 2.0
LOSS_WEIGHTS = (0.7, 1.0, 0.5, 0.3)
"""Of the window's logit, the cells, their overlap and the trust."""
LEARNING_RATE_MAX = 3e-3
WARM_UP_SHARE = 0.03
WEIGHT_DECAY = 0.05
GRADIENT_NORM_MAX = 5.0
AVERAGE_DECAY = 0.99
CHECKPOINT_INTERVAL_S = 60
LOG_INTERVAL_STEPS = 25
SHIFT_SHARE = 0.1
"""By how much every trace of a sample is shifted, in deviations: the samples are fixed, and must not be learnt by heart."""


def to_losses(outputs, cells, labels):
    """Returns the losses of the window's logit, the cells, their overlap and the trust."""
    logit, cell_logits, trust = outputs
    weight = 1 + (EDITED_CELL_WEIGHT - 1) * cells
    cell_loss = functional.binary_cross_entropy_with_logits(cell_logits, cells, weight)
    probability = torch.sigmoid(cell_logits)
    edited = labels > 0
    shared = (probability * cells).sum(dim=(1, 2))[edited]
    overlap = (2 * shared + 1) / (probability.sum(dim=(1, 2))[edited] + cells.sum(dim=(1, 2))[edited] + 1)
    right = (probability * cells + (1 - probability) * (1 - cells)).detach()
    return (
        functional.binary_cross_entropy_with_logits(logit, labels),
        cell_loss,
        1 - overlap.mean(),
        functional.binary_cross_entropy_with_logits(trust, right),
    )


class Training:
    """What a checkpoint holds: networks, optimiser, step, seconds and samples spent, folds trained on."""

    def __init__(self, folds, device):
        self.device, self.folds = device, tuple(folds)
        self.model = make_network().to(device)
        self.average = copy.deepcopy(self.model).requires_grad_(False)
        decayed = [p for p in self.model.parameters() if p.ndim > 1]
        others = [p for p in self.model.parameters() if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0.0}],
            lr=LEARNING_RATE_MAX,
        )
        self.step, self.elapsed_s, self.sample_count = 0, 0.0, 0

    def save(self, path):
        """Writes beside and renames: a crash never leaves half a checkpoint."""
        temporary = path.with_suffix(".tmp")
        torch.save({
            "model": self.model.state_dict(), "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(), "step": self.step, "elapsed_s": self.elapsed_s,
            "sample_count": self.sample_count, "folds": list(self.folds),
        }, temporary)
        temporary.rename(path)

    def load(self, path):
        state = torch.load(path, map_location=self.device)
        if tuple(state["folds"]) != self.folds:
            raise SystemExit(f"{path} was trained on the folds {state['folds']}, not {list(self.folds)}")
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.elapsed_s = state["step"], state["elapsed_s"]
        self.sample_count = state["sample_count"]

    def take_step(self, batch, learning_rate):
        """Returns the four losses of one optimiser step."""
        traces, cells, labels = (part.to(self.device) for part in batch)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate
        losses = to_losses(self.model(traces), cells, labels)
        self.optimiser.zero_grad(set_to_none=True)
        sum(weight * loss for weight, loss in zip(LOSS_WEIGHTS, losses)).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), GRADIENT_NORM_MAX)
        self.optimiser.step()
        self.step += 1
        self.sample_count += len(labels)
        update_average(self.average, self.model, self.step, AVERAGE_DECAY)
        return [loss.item() for loss in losses]


def make_batch(cache, deviation, seed, step):
    """Returns (traces [N, C, R, S], cells [N, R, S], labels [N]): both samples of each host, mirrored alike."""
    rng = numpy.random.default_rng((seed, step))
    pairs = rng.choice(cache.pair_count, BATCH // 2, replace=False)
    rows = numpy.stack([2 * pairs, 2 * pairs + 1], axis=1).ravel()
    traces, cells = cache.read_traces(rows), cache.cells[rows]
    for across in (True, False):
        if rng.random() < 0.5:
            traces, cells = mirror(traces, cells, across)
    shift = torch.from_numpy(rng.standard_normal((*traces.shape[:2], 1, 1), dtype=numpy.float32))
    return torch.from_numpy(traces) + SHIFT_SHARE * deviation * shift, torch.from_numpy(cells), cache.to_labels(rows)


def mirror(traces, cells, across):
    """Mirrors traces and masks, left to right or top to bottom: of the traces, only the grid's know the side."""
    axis = -1 if across else -2
    traces, cells = numpy.flip(traces, axis), numpy.ascontiguousarray(numpy.flip(cells, axis))
    return numpy.ascontiguousarray(traces[:, mirrored_channels(across)]), cells


def run(arguments):
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cache = SampleCache(arguments.work, arguments.folds)
    training = Training(arguments.folds, device)
    folder = training_folder(arguments.work, arguments.folds)
    folder.mkdir(exist_ok=True)
    checkpoint = folder / CHECKPOINT_FILE
    if checkpoint.exists():
        training.load(checkpoint)
        print(f"resumed at step {training.step} after {training.elapsed_s:.0f} s", flush=True)
    with open(folder / LOG_FILE, "a", encoding="utf-8") as log:
        loop(training, cache, arguments, checkpoint, log)
    training.save(checkpoint)


def loop(training, cache, arguments, checkpoint, log):
    losses, last_save_s = [], training.elapsed_s
    deviation = cache.measure_deviation()
    training.model.train()
    while (progress := to_progress(training, arguments)) < 1:
        start = time.monotonic()
        batch = make_batch(cache, deviation, arguments.seed, training.step)
        losses.append(training.take_step(batch, to_learning_rate(progress, arguments.rate, WARM_UP_SHARE)))
        training.elapsed_s += time.monotonic() - start
        if training.step % LOG_INTERVAL_STEPS == 0:
            write_log(training, losses, progress, log)
            losses = []
        if training.elapsed_s - last_save_s > CHECKPOINT_INTERVAL_S:
            training.save(checkpoint)
            last_save_s = training.elapsed_s


def write_log(training, losses, progress, log):
    names = ("window_loss", "cell_loss", "overlap_loss", "trust_loss")
    means = {name: round(float(value), 4) for name, value in zip(names, numpy.mean(losses, axis=0))}
    line = json.dumps({
        "step": training.step, "samples": training.sample_count, "progress": round(progress, 4),
        "elapsed_s": round(training.elapsed_s), **means,
    })
    print(line, flush=True)
    log.write(line + "\n")
    log.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--folds", required=True, type=parse_folds, help="folds that are trained on, as 1,2,3")
    parser.add_argument("--rate", type=float, default=LEARNING_RATE_MAX, help="highest learning rate")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--steps", type=int, default=0, help="train this many steps instead of minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    run(parser.parse_args())
