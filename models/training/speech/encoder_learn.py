"""Trains the encoder with all its layers, the lines and the networks end to end, without one third of the owners or with all.

`python3 encoder_learn.py --windows DIR --data DIR --encoder FILE --without K --out DIR --steps N`. One core; goes on from the last
checkpoint in OUT. Lines and networks begin as they fit the frozen encoder, on the same owners alone; with `--begin PACK` everything
begins as the pack has it, which has heard all owners (`--without -1`). Weights are pulled towards the first ones, rates fall from a layer to the one below; what is judged and kept is an average over some hundred steps.
OUT/status.jsonl gets a line for each judgement: step, loss, AUC of what was left out.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy
import torch
from torch.nn import functional

from encoder_graft import make_speech, read_pack
from encoder_graph import FEATURE_COUNT, LAYERS
from encoder_network import BLOCKS, Speech, load_encoder, to_statistics
from lines import CLIP_AT, DEVIATION_MIN, INVERSE_PENALTIES, LAYER_FEATURES, Heads, fit_line
from network import fit_network
from recorded import ALL_TIERS, Recorded, draw_batch, to_chances

sys.path.append(str(Path(__file__).parent.parent))
from averaged_steps import AveragedSteps, smooth  # noqa: E402
from metrics import to_auc  # noqa: E402
from weights import weigh  # noqa: E402

RATE = 1e-4
HEADS_RATE_FACTOR = 6.0
LAYER_DECAY = 0.8
"""Of the rate from a layer to the one below it; the convolutions are one layer more."""
PULL = 0.02
AVERAGE_DECAY = 0.995
WARM_UP_STEPS = 50
FEATURE_DROPOUT = 0.2
BATCH = 64
CROPPED_STEPS, CROP_SAMPLES = 2, 16_000
"""Of three steps two see one second of each window: they cost half, and a label is heard in it as well."""
STANDARD_BATCHES = 40
"""Rows of this many batches say how the features spread; lines and networks begin on them."""
FIRST_SPREAD = 2.0
"""Of the logits at the start: about what the calibration of the version before stretched them to."""
JUDGED_ROWS = 900


def make_first(recorded, members, chances, options, random):
    """Returns Speech with lines and networks fitted on drawn windows of the members, or as a pack has it."""
    encoder = load_encoder(options.encoder)
    if options.begin:
        return make_speech(encoder, read_pack(options.begin, options.encoder)).train()
    features, labels = [], []
    with torch.no_grad():
        for _ in range(STANDARD_BATCHES * 4):
            sound, sides = draw_batch(recorded, chances, BATCH, random)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=not options.single):
                features.append(to_statistics(encoder(torch.from_numpy(sound))).numpy())
            labels.append(sides)
    features, labels = numpy.concatenate(features), numpy.concatenate(labels) > 0.5
    means, scales = features.mean(axis=0), 1 / numpy.maximum(features.std(axis=0), DEVIATION_MIN)
    rows = numpy.clip((features - means) * scales, -CLIP_AT, CLIP_AT).astype(numpy.float32)
    lines, biases = [], []
    for number, layer in enumerate(LAYERS):
        own = rows[:, number * LAYER_FEATURES : (number + 1) * LAYER_FEATURES]
        line, bias = fit_line(own, labels, INVERSE_PENALTIES[layer])
        spread = (own @ line).std() / FIRST_SPREAD
        lines.append(line / spread)
        biases.append(bias / spread)
    heads = Heads(means.astype(numpy.float32), scales.astype(numpy.float32), numpy.concatenate(lines).astype(numpy.float32), numpy.array(biases, dtype=numpy.float32))
    network = fit_network(rows, labels)
    return Speech(encoder, heads, network.scaled_by(FIRST_SPREAD / network.score(rows).std()))


def to_groups(speech, rate):
    encoder = speech.encoder
    groups = [
        {"params": list(block.parameters()), "full": rate * LAYER_DECAY ** (BLOCKS - 1 - number)}
        for number, block in enumerate(encoder.blocks)
    ]
    front = [encoder.wave, encoder.norm, encoder.middle, encoder.last]
    groups.append({"params": [one for part in front for one in part.parameters()], "full": rate * LAYER_DECAY**BLOCKS})
    groups.append({"params": [speech.line, speech.hidden, speech.offsets, speech.last, speech.bias], "full": rate * HEADS_RATE_FACTOR})
    return groups


class Learner:
    """The network and its steps; a checkpoint holds all of them."""

    def __init__(self, speech, rate, is_half):
        self.speech, self.is_half = speech, is_half
        self.steps = AveragedSteps(speech, to_groups(speech, rate), rate=rate, pull=PULL, decay=AVERAGE_DECAY, warm_up_steps=WARM_UP_STEPS)
        self.run = torch.compile(self.answer, dynamic=False)

    def answer(self, sound, kept):
        return self.speech.read(self.speech.standardise(sound) * kept)

    def learn(self, sound, labels):
        kept = (torch.rand(len(sound), FEATURE_COUNT) >= FEATURE_DROPOUT).float() / (1 - FEATURE_DROPOUT)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.is_half):
            logits = self.run(torch.from_numpy(sound), kept)
        loss = functional.binary_cross_entropy_with_logits(logits.float(), smooth(torch.from_numpy(labels)))
        self.steps.take(loss)
        return float(loss.detach())

    def save(self, folder):
        state = {name: part.state_dict() for name, part in self.parts.items()}
        torch.save({"step": self.steps.count, **state}, folder / "checkpoint.tmp")
        os.replace(folder / "checkpoint.tmp", folder / "checkpoint.pt")
        torch.save({name: value.half() for name, value in self.steps.average.state_dict().items()}, folder / f"average-{self.steps.count}.pt")

    def load(self, path):
        state = torch.load(path)
        self.steps.count = state["step"]
        for name, part in self.parts.items():
            part.load_state_dict(state[name])

    @property
    def parts(self):
        return {"speech": self.speech, "average": self.steps.average, "first": self.steps.first, "optimiser": self.steps.optimiser}


def crop(sound, random):
    start = random.integers(sound.shape[1] - CROP_SAMPLES + 1)
    return numpy.ascontiguousarray(sound[:, start : start + CROP_SAMPLES])


def score_rows(speech, recorded, rows, windows_max, is_half):
    """Returns the mean logit of each row over its first windows, in half precision or in single."""
    pairs = [(number, which) for number, row in enumerate(rows) for which in range(min(windows_max, recorded.count(row)))]
    logits = []
    with torch.no_grad():
        for at in range(0, len(pairs), BATCH):
            sound = numpy.stack([recorded.read(rows[number], which) for number, which in pairs[at : at + BATCH]])
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=is_half):
                logits.append(speech(torch.from_numpy(sound)).float().numpy())
    owners = numpy.array([number for number, _ in pairs])
    return numpy.bincount(owners, numpy.concatenate(logits), len(rows)) / numpy.bincount(owners, minlength=len(rows))


def judge(speech, recorded, left_out, is_half):
    """Returns {tier: AUC} of rows that were left out, weighed by source; nothing where none were."""
    if len(left_out) == 0:
        return {}
    scores, found = score_rows(speech, recorded, left_out, 1, is_half), {}
    for number, tier in enumerate(ALL_TIERS):
        own = recorded.tiers[left_out] == number
        labels = recorded.is_artificial[left_out][own]
        if labels.all() or not labels.any():
            continue
        found[tier] = round(float(to_auc(scores[own], labels, weigh(recorded.sources[left_out][own], labels))), 4)
    return found


def run(options):
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    # Another stream of draws each time it goes on.
    random = numpy.random.default_rng([options.seed, int(time.time())])
    recorded = Recorded(options.windows, options.data)
    members = numpy.nonzero(recorded.parts != options.without)[0]
    left_out = numpy.nonzero(recorded.parts == options.without)[0]
    left_out = numpy.sort(numpy.random.default_rng(1).permutation(left_out)[:JUDGED_ROWS])
    chances = to_chances(recorded, members)
    start = time.monotonic()
    first = options.out / "first.pt"
    if not first.exists():
        torch.save(make_first(recorded, members, chances, options, random), first)
    learner = Learner(torch.load(first, weights_only=False), options.rate, is_half=not options.single)
    if (options.out / "checkpoint.pt").exists():
        learner.load(options.out / "checkpoint.pt")
    losses, status = [], options.out / "status.jsonl"

    def keep():
        learner.save(options.out)
        line = {"step": learner.steps.count, "seconds": round(time.monotonic() - start), "loss": round(float(numpy.mean(losses)), 4) if losses else None, "left_out": judge(learner.steps.average, recorded, left_out, learner.is_half)}
        with open(status, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
        losses.clear()

    if learner.steps.count == 0:
        keep()
    while learner.steps.count < options.steps:
        sound, labels = draw_batch(recorded, chances, BATCH, random)
        losses.append(learner.learn(crop(sound, random) if learner.steps.count % 3 < CROPPED_STEPS else sound, labels))
        if learner.steps.count % options.judge_every == 0 or learner.steps.count == options.steps:
            keep()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--windows", type=Path, required=True, help="what record-windows.ts wrote")
    parser.add_argument("--data", type=Path, required=True, help="the collection at hand")
    parser.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
    parser.add_argument("--without", type=int, required=True, help="the third of owners that is left out; -1: none")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--judge-every", type=int, default=100)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--begin", type=Path, help="model.onnx of a pack to go on from")
    parser.add_argument("--single", action="store_true", help="single precision: faster where the processor has no products of half precision")
    parser.add_argument("--seed", type=int, default=1)
    run(parser.parse_args())
