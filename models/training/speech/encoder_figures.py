"""What the encoder that was trained as a whole (encoder_learn.py) reaches on owners left out, with calibration and bounds of its own.

`python3 encoder_figures.py score …` scores the third that a network left out; `… choose` takes the scores of the thirds, chooses
calibration and bounds (operating_points.py), prints the figures and writes OUT, which publish.py reads. `… tiers` prints what a
pack says of each tier that was recorded, of the outside harvest for instance: with `--state` another network by its calibration and bounds.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy
import torch

from calibration import to_log_odds
from encoder_graft import make_speech, read_pack, read_states, round_weights
from encoder_learn import score_rows
from encoder_network import load_encoder
from operating_points import NARROW_BELOW_DB, SHORT_BELOW_SECONDS, Corpus, Fit, decide_left_out, measure_rows
from recorded import ALL_TIERS, TIERS, Recorded

sys.path.append(str(Path(__file__).parent.parent / "corpus"))
from manifests import read_manifest  # noqa: E402
sys.path.append(str(Path(__file__).parent.parent))
from metrics import to_auc, to_probability  # noqa: E402
from weights import weigh  # noqa: E402

PERCENT = 100
WINDOWS_MAX = 4
"""As many as record-windows.ts cuts."""
SHOWN = ("auc", "tprAtFpr5", "ece", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious", "coverage", "balancedAccuracyDecided")


def score(options):
    """Writes OUT: files, tiers and logits of every row that the network left out."""
    torch.set_num_threads(1)
    recorded = Recorded(options.windows, options.data)
    rows = numpy.nonzero(recorded.parts == options.without)[0]
    speech = make_speech(load_encoder(options.encoder), round_weights(read_states(options.state)))
    means = score_rows(speech, recorded, rows, WINDOWS_MAX, is_half=False)
    numpy.savez(options.out, files=numpy.array(recorded.files)[rows], tiers=recorded.tiers[rows], logits=means)


def read_left_out(paths):
    """Returns {(file, tier): logit} of what `score` wrote."""
    found = {}
    for path in paths:
        stored = numpy.load(path)
        found |= {(str(file), int(tier)): float(logit) for file, tier, logit in zip(stored["files"], stored["tiers"], stored["logits"])}
    return found


def describe_count(recorded, kept):
    counts = []
    for name, side in (("human", False), ("artificial", True)):
        own = kept & (recorded.is_artificial == side)
        files = len({file for file, mine in zip(recorded.files, own) if mine})
        counts.append(f"{files:,} {name} clips of {len(set(recorded.sources[own]))} sources")
    return " and ".join(counts)


def describe_languages(corpus):
    """Returns {both, human, artificial}: the languages that are there under both labels, or under one alone."""
    sides = [set(corpus.languages[corpus.is_artificial == side].tolist()) - {"unknown"} for side in (False, True)]
    return {"both": sorted(sides[0] & sides[1]), "human": sorted(sides[0] - sides[1]), "artificial": sorted(sides[1] - sides[0])}


def show(name, measured):
    figures = {key: round(measured["figures"][key], 3) for key in SHOWN}
    print(name, measured["clips"], measured["owners"], figures, f"balanced finds {measured['recallBalanced']:.3f} conformal {measured['conformal']:.4f}", flush=True)


def choose(options):
    """Writes OUT, and prints the figures."""
    recorded = Recorded(options.windows, options.data)
    known, languages = read_left_out(options.left_out), {row["file"]: row["language"] for row in read_manifest("speech")}
    logits = numpy.array([known.get(key, numpy.nan) for key in zip(recorded.files, recorded.tiers.tolist())])
    corpus = Corpus(recorded, logits, recorded.bands, numpy.array([languages.get(file, "unknown") for file in recorded.files]))
    fit = Fit(corpus, numpy.arange(len(corpus.files)))
    probabilities, bounds = decide_left_out(corpus)
    measured = {tier: measure_rows(corpus, numpy.nonzero(corpus.tiers == number)[0], probabilities, bounds) for number, tier in enumerate(TIERS)}
    is_narrow = (corpus.bands < NARROW_BELOW_DB) & (corpus.seconds >= SHORT_BELOW_SECONDS)
    narrow = measure_rows(corpus, numpy.nonzero(is_narrow)[0], probabilities, bounds)
    for name, one in (*measured.items(), ("narrow", narrow)):
        show(name, one)
    chosen = {
        "calibration": fit.calibration, "bounds": fit.bounds, "shortBounds": fit.short_bounds, "narrowBounds": fit.narrow_bounds,
        "measured": measured, "narrow": narrow, "languages": describe_languages(corpus),
        "corpus": describe_count(recorded, numpy.array([file in languages for file in recorded.files])),
        "trainedOn": describe_count(recorded, numpy.ones(len(recorded.files), dtype=bool)),
        "set": f"corpus-{hashlib.sha256(chr(10).join(sorted(corpus.files)).encode()).hexdigest()[:12]}",
    }
    print({name: chosen[name] for name in ("calibration", "bounds", "shortBounds", "narrowBounds")})
    options.out.write_text(json.dumps(chosen, indent=1, default=float), encoding="utf-8")


def print_tiers(options):
    """Prints a row of a table for each tier: sources weigh alike, bounds are those of the pack for such sound."""
    torch.set_num_threads(1)
    recorded = Recorded(options.windows, options.data, options.harvest)
    manifest = json.loads((options.pack / "model.json").read_text(encoding="utf-8"))
    state = round_weights(read_states(options.state)) if options.state else read_pack(options.pack / "model.onnx", options.encoder)
    logits = score_rows(make_speech(load_encoder(options.encoder), state), recorded, numpy.arange(len(recorded.files)), WINDOWS_MAX, is_half=False)
    probabilities, decision = to_probability(to_log_odds(logits, manifest["calibration"])), manifest["decision"]
    short, narrow = recorded.seconds < decision["short"]["belowSpeechSeconds"], recorded.bands < decision["narrow"]["belowUpperBandDb"]
    accused = {}
    for bound in ("inconclusiveHigh", "cautiousThreshold"):
        accused[bound] = probabilities >= numpy.where(short, decision["short"][bound], numpy.where(narrow, decision["narrow"][bound], decision[bound]))
    print("| tier | files (owners), human + artificial | AUC | `balanced`: accused / found | `cautious`: accused / found |\n| --- | --- | --- | --- | --- |")
    for number, tier in enumerate(ALL_TIERS):
        own = numpy.nonzero(recorded.tiers == number)[0]
        labels = recorded.is_artificial[own]
        if labels.all() or not labels.any():
            continue
        weights = weigh(recorded.sources[own], labels)
        counts = " + ".join(f"{(labels == side).sum()} ({len(set(recorded.owners[own][labels == side]))})" for side in (False, True))
        shares = [" / ".join(f"{PERCENT * numpy.average(said[own][labels == side], weights=weights[labels == side]):.0f}" for side in (False, True)) for said in accused.values()]
        print(f"| {tier} | {counts} | {to_auc(probabilities[own], labels, weights):.3f} | {shares[0]} % | {shares[1]} % |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for name, function in (("score", score), ("choose", choose), ("tiers", print_tiers)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("--windows", type=Path, required=True, help="what record-windows.ts wrote")
        command.add_argument("--data", type=Path, required=True, help="the collection at hand")
        if name != "tiers":
            command.add_argument("--out", type=Path, required=True, help="of score an .npz, of choose a .json")
        if name == "tiers":
            command.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
            command.add_argument("--pack", type=Path, required=True, help="a published pack")
            command.add_argument("--state", type=Path, nargs="+", help="average-N.pt instead of the pack's weights")
            command.add_argument("--harvest", choices=("inside", "outside"), default="outside")
        elif name == "score":
            command.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
            command.add_argument("--state", type=Path, nargs="+", required=True)
            command.add_argument("--without", type=int, required=True)
        else:
            command.add_argument("--left-out", type=Path, nargs="+", required=True, help="what `score` wrote")
    options = parser.parse_args()
    options.function(options)
