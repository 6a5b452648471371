"""Stage 2: trains a network on some folds, resumable from its checkpoint.

A step's batch depends on the seed and the step's number alone, so that a
training which was stopped goes on exactly where it was. The length is
given in minutes (of training, over all runs) or in steps. With --start it goes
on from another training's averaged weights, with a schedule of its own.
"""

import argparse
import copy
import json
import time
from pathlib import Path

import numpy
import torch
from torch.nn import functional

from augment import make_patch
from crops import CropCollection
from inception import InceptionNetwork
from network import ResidualNetwork, TrainingNetwork
from schedule import parse_folds, to_learning_rate, to_progress, update_average
from splits import ALL_FOLDS, training_folder

CHECKPOINT_FILE = "checkpoint.pt"
LOG_FILE = "train.jsonl"
BATCH_PIXELS = 32 * 128 * 128
PATCH_SIDES = (128, 96, 64, 48)
PATCH_SIDE_RATES = (0.5, 0.27, 0.15, 0.08)
LABEL_SMOOTHING = 0.05
SOURCE_LOSS_WEIGHT = 0.1
LEARNING_RATES_MAX = {"residual": 2e-3, "inception": 5e-4}
"""What was pretrained is to be changed, not forgotten."""
WARM_UP_SHARE = 0.04
WEIGHT_DECAY = 0.02
GRADIENT_NORM_MAX = 5.0
AVERAGE_DECAY = 0.998
CHECKPOINT_INTERVAL_S = 300
LOG_INTERVAL_STEPS = 100


class Sampler:
    """Draws crops: half of each label, each source by the square root of its size."""

    def __init__(self, collection, folds):
        self.collection = collection
        crops = collection.in_folds(folds)
        self.sources = sorted({(crop.label, crop.source) for crop in crops})
        self.index_by_source = {source: index for index, source in enumerate(self.sources)}
        self.crops_by_source = {source: [] for source in self.sources}
        for crop in crops:
            self.crops_by_source[crop.label, crop.source].append(crop)
        self.choices = {label: self.weigh(label) for label in ("human", "artificial")}

    def weigh(self, label):
        sources = [source for source in self.sources if source[0] == label]
        weights = numpy.sqrt([len(self.crops_by_source[source]) for source in sources])
        return sources, weights / weights.sum()

    def draw(self, label, rng):
        sources, weights = self.choices[label]
        source = sources[rng.choice(len(sources), p=weights)]
        crops = self.crops_by_source[source]
        return crops[rng.integers(len(crops))], self.index_by_source[source]

    def make_batch(self, seed, step):
        """Returns (pixels float [N, 3, S, S], labels float [N], source indices [N])."""
        rng = numpy.random.default_rng((seed, step))
        side = int(rng.choice(PATCH_SIDES, p=PATCH_SIDE_RATES))
        count = BATCH_PIXELS // (side * side) // 2 * 2
        pixels = numpy.empty((count, side, side, 3), dtype=numpy.uint8)
        sources = numpy.empty(count, dtype=numpy.int64)
        for position in range(count):
            crop, sources[position] = self.draw("artificial" if position % 2 else "human", rng)
            pixels[position] = make_patch(self.collection.read(crop), crop.was_jpeg, side, rng)
        labels = torch.arange(count).remainder(2).float()
        return to_tensor(pixels), labels, torch.from_numpy(sources)


def to_tensor(pixels):
    """Turns uint8 [N, H, W, 3] into float32 [N, 3, H, W] in 0..1, channels last in memory."""
    return torch.from_numpy(pixels).permute(0, 3, 1, 2).float().div_(255)


class Training:
    """What a checkpoint holds: networks, optimiser, step, seconds and patches spent, folds trained on."""

    def __init__(self, network, source_count, folds, device):
        self.device, self.folds = device, tuple(folds)
        self.model = TrainingNetwork(network, source_count).to(device, memory_format=torch.channels_last)
        self.average = copy.deepcopy(self.model.network).requires_grad_(False)
        self.optimiser = torch.optim.AdamW(self.to_groups(), lr=max(LEARNING_RATES_MAX.values()))
        self.step, self.elapsed_s, self.crop_count = 0, 0.0, 0
        self.earlier = []

    def to_groups(self):
        decayed = [p for p in self.model.parameters() if p.ndim > 1]
        others = [p for p in self.model.parameters() if p.ndim <= 1]
        return [
            {"params": decayed, "weight_decay": WEIGHT_DECAY},
            {"params": others, "weight_decay": 0.0},
        ]

    def save(self, path):
        """Writes beside and renames: a crash never leaves half a checkpoint."""
        temporary = path.with_suffix(".tmp")
        torch.save({
            "model": self.model.state_dict(), "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(), "step": self.step,
            "elapsed_s": self.elapsed_s, "crop_count": self.crop_count, "folds": list(self.folds),
            "earlier": self.earlier,
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
        self.crop_count, self.earlier = state["crop_count"], state["earlier"]

    def start_from(self, path):
        """Takes the averaged weights of a finished training, but neither its optimiser nor its source head."""
        state = torch.load(path, map_location=self.device)
        self.model.network.load_state_dict(state["average"])
        self.average.load_state_dict(state["average"])
        self.earlier = [*state.get("earlier", []), describe(state)]

    def take_step(self, batch, learning_rate):
        """Returns the two losses of one optimiser step."""
        pixels, labels, sources = (part.to(self.device) for part in batch)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate
        logit, source_logits = self.model(pixels)
        targets = labels * (1 - 2 * LABEL_SMOOTHING) + LABEL_SMOOTHING
        label_loss = functional.binary_cross_entropy_with_logits(logit, targets)
        source_loss = functional.cross_entropy(source_logits, sources)
        self.optimiser.zero_grad(set_to_none=True)
        (label_loss + SOURCE_LOSS_WEIGHT * source_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), GRADIENT_NORM_MAX)
        self.optimiser.step()
        self.step += 1
        self.crop_count += len(labels)
        update_average(self.average, self.model.network, self.step, AVERAGE_DECAY)
        return label_loss.item(), source_loss.item()


def make_network(kind, work_folder):
    return InceptionNetwork(work_folder) if kind == "inception" else ResidualNetwork()


def describe(state):
    """Returns what a checkpoint says of its training; one of version 1 names no folds."""
    return {
        "folds": state.get("folds", [1, 2, 3]), "step": state["step"],
        "elapsed_s": state["elapsed_s"], "crop_count": state["crop_count"],
    }


def run(arguments):
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sampler = Sampler(CropCollection(arguments.work), arguments.folds)
    network = make_network(arguments.network, arguments.work)
    training = Training(network, len(sampler.sources), arguments.folds, device)
    folder = training_folder(arguments.work, arguments.folds, arguments.network)
    folder.mkdir(exist_ok=True)
    checkpoint = folder / CHECKPOINT_FILE
    if checkpoint.exists():
        training.load(checkpoint)
        print(f"resumed at step {training.step} after {training.elapsed_s:.0f} s", flush=True)
    elif arguments.start:
        training.start_from(arguments.start)
    with open(folder / LOG_FILE, "a", encoding="utf-8") as log:
        loop(training, sampler, arguments, checkpoint, log)
    training.save(checkpoint)


def loop(training, sampler, arguments, checkpoint, log):
    losses, last_save_s = [], training.elapsed_s
    highest = arguments.rate or LEARNING_RATES_MAX[arguments.network]
    training.model.train()
    while (progress := to_progress(training, arguments)) < 1:
        start = time.monotonic()
        torch.manual_seed(arguments.seed * 1_000_003 + training.step)
        batch = sampler.make_batch(arguments.seed, training.step)
        losses.append(training.take_step(batch, to_learning_rate(progress, highest, WARM_UP_SHARE)))
        training.elapsed_s += time.monotonic() - start
        if training.step % LOG_INTERVAL_STEPS == 0:
            write_log(training, losses, progress, log)
            losses = []
        if training.elapsed_s - last_save_s > CHECKPOINT_INTERVAL_S:
            training.save(checkpoint)
            last_save_s = training.elapsed_s


def write_log(training, losses, progress, log):
    label_loss, source_loss = numpy.mean(losses, axis=0)
    line = json.dumps({
        "step": training.step, "crops": training.crop_count, "progress": round(progress, 4),
        "elapsed_s": round(training.elapsed_s), "label_loss": round(float(label_loss), 4),
        "source_loss": round(float(source_loss), 4),
    })
    print(line, flush=True)
    log.write(line + "\n")
    log.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--network", choices=tuple(LEARNING_RATES_MAX), default="residual")
    parser.add_argument("--folds", default=ALL_FOLDS, type=parse_folds, help="folds that are trained on, as 1,2,3")
    parser.add_argument("--start", type=Path, help="checkpoint whose averaged weights it starts from")
    parser.add_argument("--rate", type=float, help="highest learning rate; without it the network's own")
    parser.add_argument("--minutes", type=float, default=95)
    parser.add_argument("--steps", type=int, default=0, help="train this many steps instead of minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    run(parser.parse_args())
