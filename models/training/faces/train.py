"""Stage 4: trains the upper half, once without each fold and once on all, resumable.

A step's batch depends on the seed and the step alone. The validation
rounds 1 to 5 leave one fold of portraits out; round 0 is what is shipped. Pictures of the
image models are learnt from in every round and never measured on.
"""

import argparse
import copy
import json
import math
import time
from pathlib import Path

import numpy
import torch
from torch.nn import functional

from extract import VIEW_INDEX_FILE
from face_network import FaceNetwork
from faces import FaceCollection
from maps import BASE_FILE, TRAINING_MAPS, read_maps
from sources import FOLDS

LOG_FILE = "train.jsonl"
SHIPPED_ROUND = 0
BATCH = 48
STEP_COUNT = 600
LEARNING_RATE_MAX = 1.5e-3
HEAD_RATE = 2.0
"""The new head learns faster than what was trained before."""
WEIGHT_DECAY = 0.05
LABEL_SMOOTHING = 0.05
WARM_UP_SHARE = 0.06
AVERAGE_DECAY = 0.99
GRADIENT_NORM_MAX = 5.0
CHECKPOINT_INTERVAL_S = 60
LOG_INTERVAL_STEPS = 50
GROUP_SHARES = {"human": 0.5, "forged": 0.26, "portraits": 0.12, "pictures": 0.12}
"""Share of a batch: human faces as they are, forged ones, real fakes, and generated faces of the image models' pictures."""


def to_round_file(number):
    return f"round-{number}.pt"


def to_group(face, forged):
    if not face.is_artificial:
        return "forged" if forged else "human"
    return face.set


class Sampler:
    """Draws views: a share for each group, each source by the square root of its number of faces."""

    def __init__(self, work, number):
        faces = FaceCollection(work).faces
        views = json.loads((work / VIEW_INDEX_FILE).read_text(encoding="utf-8"))["views"]
        sizes = {}
        for face in faces:
            sizes[face.set, face.source] = sizes.get((face.set, face.source), 0) + 1
        self.choices = {}
        for group in GROUP_SHARES:
            kept = [
                index for index, (face, label, kind) in enumerate(views)
                if to_group(faces[face], label == 1 and kind != "") == group
                and not (faces[face].is_portrait and faces[face].fold == number)
            ]
            weights = numpy.array([sizes[faces[views[i][0]].set, faces[views[i][0]].source] ** -0.5 for i in kept])
            self.choices[group] = numpy.array(kept), weights / weights.sum()

    def draw(self, seed, step):
        """Returns (view numbers, labels float [BATCH])."""
        rng = numpy.random.default_rng((seed, step))
        groups = rng.choice(list(GROUP_SHARES), BATCH, p=list(GROUP_SHARES.values()))
        drawn = [rng.choice(self.choices[group][0], p=self.choices[group][1]) for group in groups]
        return numpy.array(drawn), torch.tensor([float(group != "human") for group in groups])


class Training:
    """Network, its average, optimiser and step of one round."""

    def __init__(self, work):
        base = torch.load(work / BASE_FILE, map_location="cpu")
        self.network = FaceNetwork()
        self.network.load_state_dict(base["state"])
        self.network.requires_grad_(False)
        upper = self.network.to_upper_parameters()
        for parameter in upper:
            parameter.requires_grad_(True)
        head = {id(p) for p in (*self.network.hidden.parameters(), *self.network.head.parameters())}
        groups = [
            {"params": [p for p in upper if (id(p) in head) == is_head], "scale": HEAD_RATE if is_head else 1.0}
            for is_head in (False, True)
        ]
        self.average = copy.deepcopy(self.network)
        self.optimiser = torch.optim.AdamW(groups, lr=LEARNING_RATE_MAX, weight_decay=WEIGHT_DECAY)
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
        state = torch.load(path, map_location="cpu")
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.elapsed_s = state["step"], state["elapsed_s"]

    def take_step(self, lower, labels, learning_rate):
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate * group["scale"]
        targets = labels * (1 - 2 * LABEL_SMOOTHING) + LABEL_SMOOTHING
        loss = functional.binary_cross_entropy_with_logits(self.network.judge_lower(lower), targets)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.to_upper_parameters(), GRADIENT_NORM_MAX)
        self.optimiser.step()
        self.step += 1
        self.update_average()
        return loss.item()

    @torch.no_grad()
    def update_average(self):
        decay = min(AVERAGE_DECAY, (1 + self.step) / (10 + self.step))
        mine, theirs = self.average.state_dict(), self.network.state_dict()
        for name, value in mine.items():
            if value.is_floating_point():
                value.lerp_(theirs[name], 1 - decay)
            else:
                value.copy_(theirs[name])


def to_learning_rate(progress):
    """Linear warm-up, then half a cosine down to a hundredth."""
    if progress < WARM_UP_SHARE:
        return LEARNING_RATE_MAX * (0.05 + 0.95 * progress / WARM_UP_SHARE)
    fall = (progress - WARM_UP_SHARE) / (1 - WARM_UP_SHARE)
    return LEARNING_RATE_MAX * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * fall)))


def train_round(work, number, step_count, seed, log):
    path = work / to_round_file(number)
    sampler, maps = Sampler(work, number), read_maps(work / TRAINING_MAPS)
    training = Training(work)
    if path.exists():
        training.load(path)
    training.network.train()
    # The frozen stages are not run here; in training mode only the upper half's norms would change.
    losses, last_save_s = [], training.elapsed_s
    while training.step < step_count:
        start = time.monotonic()
        torch.manual_seed(seed * 1_000_003 + training.step)
        drawn, labels = sampler.draw(seed, training.step)
        lower = torch.from_numpy(numpy.stack([maps[index] for index in drawn]).astype(numpy.float32))
        losses.append(training.take_step(lower, labels, to_learning_rate(training.step / step_count)))
        training.elapsed_s += time.monotonic() - start
        if training.step % LOG_INTERVAL_STEPS == 0:
            line = json.dumps({"round": number, "step": training.step, "elapsed_s": round(training.elapsed_s),
                               "loss": round(sum(losses) / len(losses), 4)})
            print(line, flush=True)
            print(line, file=log, flush=True)
            losses = []
        if training.elapsed_s - last_save_s > CHECKPOINT_INTERVAL_S:
            training.save(path)
            last_save_s = training.elapsed_s
    training.save(path)


def run(arguments):
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    rounds = [*FOLDS, SHIPPED_ROUND] if arguments.round is None else [arguments.round]
    with open(arguments.work / LOG_FILE, "a", encoding="utf-8") as log:
        for number in rounds:
            train_round(arguments.work, number, arguments.steps, arguments.seed, log)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--round", type=int, help="this one alone: the fold that is left out, or 0 for none")
    parser.add_argument("--steps", type=int, default=STEP_COUNT)
    parser.add_argument("--seed", type=int, default=1)
    run(parser.parse_args())
