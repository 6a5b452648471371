"""Stage 2: trains the trace network end to end on what `views.py` cut, for hours, on one thread.

It goes on from its checkpoint, takes in sources that were cut meanwhile, and never ends by itself: `--minutes` bounds
one run. The rate stays constant; the averaged weights are what is measured and shipped, so every checkpoint is a
finished network. Sources weigh alike within a label, hard sources up to HARD_FACTOR_MAX times as much.
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

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from augment import make_patch  # noqa: E402
from network import TraceNetwork, load_exported  # noqa: E402
from parts import is_chosen_by  # noqa: E402

PATCH_SIDE = 128
BATCH_COUNT = 32
LABEL_SMOOTHING = 0.03
WEIGHT_DECAY = 0.01
GRADIENT_NORM_MAX = 1.0
AVERAGE_DECAY = 0.9995
"""Two thousand steps: some minutes of a core."""
WARM_UP_STEPS = 300
LOG_INTERVAL_STEPS = 200
CHECKPOINT_INTERVAL_S = 240
SNAPSHOT_INTERVAL_S = 1800
HARD_FACTOR_MAX = 3.0
LOSS_DECAY = 0.97
"""Of a source's running loss, by patch of it."""


class SourceRegions:
    """The regions of one source, read from the disk as they are drawn."""

    def __init__(self, meta):
        described = json.loads(meta.read_text(encoding="utf-8"))
        self.label, self.source = described["label"], described["source"]
        self.regions = described["regions"]
        self.pictures = sorted({region["picture"] for region in self.regions})
        self.bytes = numpy.memmap(meta.with_name(meta.name[: -len(".json")] + ".bin"), dtype=numpy.uint8, mode="r")
        self.loss = 0.6

    def draw(self, rng):
        region = self.regions[rng.integers(len(self.regions))]
        count = region["width"] * region["height"] * 3
        pixels = self.bytes[region["first"] : region["first"] + count]
        return pixels.reshape(region["height"], region["width"], 3), region["was_jpeg"]


class Sampler:
    """Draws patches: half of each label, sources by their hardness."""

    def __init__(self, work_folder, excluded):
        self.folder, self.excluded, self.sources = work_folder, excluded, {}
        self.rescan()

    def rescan(self):
        for meta in sorted(self.folder.glob("*.json")):
            if meta.name in self.sources:
                continue
            described = json.loads(meta.read_text(encoding="utf-8"))
            if self.excluded(described) or not described["regions"]:
                continue
            self.sources[meta.name] = SourceRegions(meta)
        self.by_label = {
            label: [source for source in self.sources.values() if source.label == label] for label in ("human", "artificial")
        }

    def weigh(self, label):
        losses = numpy.array([source.loss for source in self.by_label[label]])
        sizes = numpy.array([min(len(source.pictures), 12) for source in self.by_label[label]]) ** 0.5
        weights = sizes * numpy.clip(losses / losses.mean(), 1 / HARD_FACTOR_MAX, HARD_FACTOR_MAX)
        return weights / weights.sum()

    def make_batch(self, rng):
        """Returns (pixels float [N, 3, S, S] in 0..1, labels float [N], the source of each)."""
        pixels = numpy.empty((BATCH_COUNT, PATCH_SIDE, PATCH_SIDE, 3), dtype=numpy.uint8)
        drawn = []
        for position in range(BATCH_COUNT):
            label = "artificial" if position % 2 else "human"
            source = self.by_label[label][rng.choice(len(self.by_label[label]), p=self.weights[label])]
            region, was_jpeg = source.draw(rng)
            pixels[position] = make_patch(region, was_jpeg, PATCH_SIDE, rng)
            drawn.append(source)
        labels = torch.arange(BATCH_COUNT).remainder(2).float()
        return torch.from_numpy(pixels).permute(0, 3, 1, 2).float().div_(255), labels, drawn

    def refresh_weights(self):
        self.weights = {label: self.weigh(label) for label in self.by_label}


class Training:
    """What a checkpoint holds: network, averaged network, optimiser, step, seconds, losses of the sources."""

    def __init__(self, start):
        self.network = load_exported(TraceNetwork(), start) if start else TraceNetwork()
        self.average = copy.deepcopy(self.network).requires_grad_(False)
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=1e-3, weight_decay=WEIGHT_DECAY)
        self.step, self.elapsed_s = 0, 0.0

    def save(self, path, sampler):
        """Writes beside and renames: a crash never leaves half a checkpoint."""
        temporary = path.with_suffix(".tmp")
        torch.save({
            "network": self.network.state_dict(), "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(), "step": self.step, "elapsed_s": self.elapsed_s,
            "losses": {name: source.loss for name, source in sampler.sources.items()},
        }, temporary)
        temporary.rename(path)

    def load(self, path, sampler):
        state = torch.load(path)
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.elapsed_s = state["step"], state["elapsed_s"]
        for name, loss in state["losses"].items():
            if name in sampler.sources:
                sampler.sources[name].loss = loss

    def take_step(self, sampler, rng, rate):
        pixels, labels, drawn = sampler.make_batch(rng)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * min(1.0, (self.step + 1) / WARM_UP_STEPS)
        logits = self.network(pixels)
        targets = labels * (1 - 2 * LABEL_SMOOTHING) + LABEL_SMOOTHING
        losses = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        self.optimiser.zero_grad(set_to_none=True)
        losses.mean().backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT_NORM_MAX)
        self.optimiser.step()
        self.step += 1
        for source, loss in zip(drawn, losses.tolist()):
            source.loss = LOSS_DECAY * source.loss + (1 - LOSS_DECAY) * loss
        self.update_average()
        return losses.mean().item()

    @torch.no_grad()
    def update_average(self):
        decay = min(AVERAGE_DECAY, self.step / (self.step + 20))
        for kept, fresh in zip(self.average.parameters(), self.network.parameters()):
            kept.lerp_(fresh, 1 - decay)


def run(arguments):
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    excluded = (lambda described: is_chosen_by(described)) if not arguments.all else (lambda described: False)
    sampler = Sampler(arguments.work, excluded)
    training = Training(arguments.start)
    arguments.out.mkdir(parents=True, exist_ok=True)
    checkpoint = arguments.out / "checkpoint.pt"
    if checkpoint.exists():
        training.load(checkpoint, sampler)
        print(f"goes on at step {training.step} after {training.elapsed_s:.0f} s", flush=True)
    with open(arguments.out / "train.jsonl", "a", encoding="utf-8") as log:
        loop(training, sampler, arguments, checkpoint, log)
    training.save(checkpoint, sampler)


def loop(training, sampler, arguments, checkpoint, log):
    began, saved, losses = time.monotonic(), time.monotonic(), []
    torch.manual_seed(training.step)
    rng = numpy.random.default_rng((arguments.seed, training.step))
    sampler.refresh_weights()
    while time.monotonic() - began < arguments.minutes * 60:
        start = time.monotonic()
        losses.append(training.take_step(sampler, rng, arguments.rate))
        training.elapsed_s += time.monotonic() - start
        if training.step % LOG_INTERVAL_STEPS == 0:
            write_log(training, sampler, losses, log)
            losses = []
            sampler.rescan()
            sampler.refresh_weights()
        if time.monotonic() - saved > CHECKPOINT_INTERVAL_S:
            before = training.elapsed_s // SNAPSHOT_INTERVAL_S
            training.save(checkpoint, sampler)
            saved = time.monotonic()
            torch.save(training.average.state_dict(), arguments.out / f"average-{int(before):03d}.pt")


def write_log(training, sampler, losses, log):
    line = json.dumps({
        "step": training.step, "patches": training.step * BATCH_COUNT, "elapsed_s": round(training.elapsed_s),
        "sources": {label: len(sources) for label, sources in sampler.by_label.items()},
        "loss": round(float(numpy.mean(losses)), 4),
    })
    print(line, flush=True)
    log.write(line + "\n")
    log.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder that views.py wrote")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="ONNX file whose weights it starts from")
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="also fit the sources that are kept for choosing")
    run(parser.parse_args())
