"""Stage 2 for a GPU elsewhere: trains several networks at once on one stream of patches, each without its fold.

PLAN is a JSON file, read anew every few seconds: {name: {"fold": 0, "taps": [6, 8], "rate": 5e-5, "pull": 0.02, "first_block": 0}}.
A name that is added begins, one that is taken out ends. Every `--judge-every` steps the averaged weights are judged on the first
pictures of the sources left out, and kept, so that a step can be chosen afterwards. STATUS gets a line each time.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy
import torch
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from averaged_steps import AveragedSteps, smooth  # noqa: E402
from chances import Draws, Regions, decode_shard  # noqa: E402
from tiers import TIERS  # noqa: E402
from vision_transformer import TAPS  # noqa: E402
from metrics import to_auc  # noqa: E402
from network import EMBEDDING, WholeNetwork  # noqa: E402

AVERAGE_DECAY = 0.998
WARM_UP_STEPS = 100
BLOCK_DECAY = 0.8
"""Of the rate from a block to the one below it."""
HEADS_RATE_FACTOR = 6.0
TOKEN_COUNT = 81
KEPT_TOKENS = 41
PLAN_INTERVAL_S = 2
JUDGED_AT_ONCE = 2048


class Run:
    """One network of the plan and its steps."""

    def __init__(self, name, wanted, stored, device):
        self.name, self.fold, rate = name, wanted.get("fold"), wanted.get("rate", 5e-5)
        self.network = WholeNetwork(stored, tuple(wanted.get("taps", (6, 8)))).to(device)
        first_block = wanted.get("first_block", 0)
        for number, block in enumerate(self.network.blocks):
            block.requires_grad_(number >= first_block)
        depth = len(self.network.blocks)
        groups = [
            {"params": list(block.parameters()), "full": rate * BLOCK_DECAY ** (depth - 1 - number)}
            for number, block in enumerate(self.network.blocks) if number >= first_block
        ]
        embedding = [getattr(self.network, part) for part in EMBEDDING]
        if first_block == 0:
            groups.append({"params": embedding, "full": rate * BLOCK_DECAY**depth})
        else:
            for one in embedding:
                one.requires_grad_(False)
        groups.append({"params": list(self.network.heads.parameters()), "full": rate * HEADS_RATE_FACTOR})
        rule = {"rate": rate, "pull": wanted.get("pull", 0.02), "decay": AVERAGE_DECAY, "warm_up_steps": WARM_UP_STEPS}
        self.steps = AveragedSteps(self.network, groups, **rule, fused=device.type == "cuda")
        self.losses = []

    def take_step(self, patches, labels, folds, kept_places):
        if self.steps.count == 0:
            for network in (self.network, self.steps.average):
                network.standardise_new_taps(patches, TAPS)
        weights = torch.ones_like(labels) if self.fold is None else (folds != self.fold).float()
        with torch.autocast(patches.device.type, dtype=torch.bfloat16):
            logits = self.network(patches, kept_places)
        loss = functional.binary_cross_entropy_with_logits(logits.float(), smooth(labels), weights, reduction="sum") / weights.sum()
        self.steps.take(loss)
        self.losses.append(loss.detach())

    def state(self):
        return {name: value.detach().half().cpu() for name, value in self.steps.average.state_dict().items()}


@torch.no_grad()
def judge(network, judged, fold, device):
    """Returns {tier: (AUC, share found at 5 % false alarms, pictures)} of one fold; a picture's answer is the mean of its patches."""
    found = {}
    for tier in (one.name for one in TIERS):
        items = judged.get((fold, tier), [])
        if not items:
            continue
        patches = numpy.concatenate([part for _, part in items])
        with torch.autocast(device.type, dtype=torch.bfloat16):
            logits = torch.cat([network(torch.from_numpy(patches[at : at + JUDGED_AT_ONCE]).to(device)) for at in range(0, len(patches), JUDGED_AT_ONCE)]).float().cpu().numpy()
        pictures, at = {}, 0
        for one, part in items:
            pictures.setdefault((one["label"], one["source"], one["picture"]), []).extend(logits[at : at + len(part)])
            at += len(part)
        scores = numpy.array([numpy.mean(said) for said in pictures.values()])
        labels = numpy.array([label == "artificial" for label, _, _ in pictures])
        bound = numpy.quantile(scores[~labels], 0.95)
        found[tier] = (round(to_auc(scores, labels, numpy.ones(len(scores))), 4), round(float((scores[labels] > bound).mean()), 3), len(scores))
    return found


def read_plan(path, runs, stored, device):
    plan = json.loads(path.read_text(encoding="utf-8"))
    for name in [name for name in runs if name not in plan]:
        del runs[name]
    for name, wanted in plan.items():
        if name not in runs:
            runs[name] = Run(name, wanted, stored, device)
    return runs


def write_line(path, **line):
    with open(path, "a", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")


def keep_state(run, arguments, judged, device, start):
    arguments.states.mkdir(parents=True, exist_ok=True)
    folds = [0, 1, 2] if run.fold is None else [run.fold]
    found = {fold: judge(run.steps.average, judged, fold, device) for fold in folds} if judged else {}
    torch.save(run.state(), arguments.states / f"{run.name}-{run.steps.count}.pt")
    loss = float(torch.stack(run.losses).mean()) if run.losses else None
    run.losses = []
    write_line(arguments.status, name=run.name, step=run.steps.count, seconds=round(time.monotonic() - start), loss=None if loss is None else round(loss, 4), left_out=found)


def loop(arguments):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    stored = torch.load(arguments.first)
    draws = torch.utils.data.DataLoader(Draws(arguments.data, arguments.batch, arguments.seed), batch_size=None, num_workers=arguments.processes, prefetch_factor=3, pin_memory=device.type == "cuda")
    runs, start, looked, steps = {}, time.monotonic(), 0.0, 0
    judged, shards = {}, 0
    generator = torch.Generator().manual_seed(arguments.seed)
    for patches, labels, folds in draws:
        if time.monotonic() - looked > PLAN_INTERVAL_S:
            looked = time.monotonic()
            read_plan(arguments.plan, runs, stored, device)
            if not runs or looked - start > arguments.seconds:
                break
            ready = len(list(arguments.data.glob("*.json")))
            if ready != shards:
                shards, judged = ready, Regions(arguments.data).list_judged()
        patches, labels, folds = patches.to(device, non_blocking=True), labels.float().to(device), folds.to(device)
        kept_places = torch.randperm(TOKEN_COUNT, generator=generator)[:KEPT_TOKENS].sort().values.to(device)
        for run in runs.values():
            run.take_step(patches, labels, folds, kept_places)
            if run.steps.count % arguments.judge_every == 0:
                keep_state(run, arguments, judged, device, start)
        steps += 1
        if steps % 25 == 0:
            write_line(arguments.status, steps=steps, seconds=round(time.monotonic() - start), runs=list(runs), shards=shards)
    for run in runs.values():
        keep_state(run, arguments, judged, device, start)
    write_line(arguments.status, ended=True, steps=steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decode", type=Path, nargs="*", help="tables of shards to decode into --data, and no more")
    parser.add_argument("--data", type=Path, required=True, help="folder of decoded shards")
    parser.add_argument("--first", type=Path, help="first weights, of whole_network.py")
    parser.add_argument("--plan", type=Path)
    parser.add_argument("--states", type=Path)
    parser.add_argument("--status", type=Path)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--judge-every", type=int, default=250)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.decode is not None:
        asked.data.mkdir(parents=True, exist_ok=True)
        print([decode_shard(table, asked.data, asked.processes) for table in asked.decode])
    else:
        loop(asked)
