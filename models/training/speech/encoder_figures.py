"""What an encoder that was trained as a whole (encoder_learn.py) reaches on owners left out, with calibrations and bounds of its own.

`python3 encoder_figures.py score …` scores the third that a network left out; `… choose` takes these scores, chooses calibrations,
weights and bounds as corpus_pack.py does, prints the figures and writes OUT/chosen.json and OUT/left-out.npz. It ships nothing.
The statistics learnt from the collection at hand: there the encoder speaks alone.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy
import torch

from conformal import to_bound
from corpus_fit import FOLD_COUNT, Rows
from corpus_pack import Corpus, Fit, decide_left_out, describe_count, describe_languages, measure_tiers
from encoder_graft import make_speech, read_states, round_weights
from encoder_learn import score_rows
from encoder_network import load_encoder
from heard_files import HeardFiles, read_lines
from narrow_bounds import BELOW_DB, KEYS, PARTS, choose, to_narrow
from recorded import Recorded

sys.path.append(str(Path(__file__).parent.parent))
sys.path.append(str(Path(__file__).parent.parent / "corpus"))
from manifests import read_manifest  # noqa: E402
from metrics import bootstrap, measure, to_probability  # noqa: E402

WINDOWS_MAX = 4
"""As many as record-windows.ts cuts."""


def score(options):
    """Writes OUT: files, tiers and logits of every row that the network left out."""
    torch.set_num_threads(1)
    recorded = Recorded(options.windows, options.data)
    rows = numpy.nonzero(recorded.parts == options.without)[0]
    speech = make_speech(load_encoder(options.encoder), round_weights(read_states(options.state)))
    means = score_rows(speech, recorded, rows, WINDOWS_MAX, is_half=False)
    numpy.savez(options.out, files=numpy.array(recorded.files)[rows], tiers=recorded.tiers[rows], logits=means)


def read_left_out(recorded, paths):
    """Returns a logit per row, not a number where no network had left it out."""
    known = {}
    for path in paths:
        stored = numpy.load(path)
        known |= {(str(file), int(tier)): float(logit) for file, tier, logit in zip(stored["files"], stored["tiers"], stored["logits"])}
    return numpy.array([known.get(key, numpy.nan) for key in zip(recorded.files, recorded.tiers.tolist())])


def make_corpus(options):
    """Returns (Rows, Corpus of the rows that a network left out)."""
    recorded = Recorded(options.windows, options.data)
    logits = read_left_out(recorded, options.left_out)
    statistics = read_lines(sorted(options.statistics.glob("*.jsonl")), "statistics")
    languages = {row["file"]: row["language"] for row in read_manifest("speech")}
    none = numpy.zeros(0)
    said = numpy.array([statistics.get(key, numpy.nan) for key in zip(recorded.files, recorded.tiers.tolist())], dtype=float)
    heard = HeardFiles(recorded.files, recorded.tiers, recorded.seconds, said, none, none, none)
    is_corpus = numpy.array([file in languages for file in recorded.files])
    rows = Rows(heard, recorded.is_artificial, recorded.sources, recorded.owners, is_corpus, numpy.array([languages.get(file, "unknown") for file in recorded.files]))
    return rows, Corpus(rows, numpy.isfinite(logits), numpy.where(numpy.isfinite(logits), logits, 0))


def show(name, tiers):
    for tier in tiers:
        figures = tier["figures"]
        said = {key: round(figures[key], 3) for key in ("auc", "tprAtFpr5", "ece", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious", "coverage", "balancedAccuracyDecided")}
        print(name, tier["tier"], tier["clips"], tier["owners"], said, f"balanced finds {tier['recallBalanced']:.3f} conformal {tier['conformal']:.4f}", flush=True)


def choose_narrow(options, corpus, fit, single, fused):
    """Returns bounds for narrow sound of each pack and of both, and what they give, owners left out."""
    levels = read_lines(options.bands, "upperBandDb")
    level = numpy.array([levels.get(key, numpy.nan) for key in zip(corpus.files, corpus.tiers.tolist())])
    narrow, long = level < BELOW_DB, corpus.seconds >= 2.0
    chosen, told = [], []
    for number, part in enumerate((to_probability(single[:, 0]), to_probability(single[:, 1]), to_probability(fused))):
        members = numpy.nonzero(narrow & long & numpy.isfinite(part))[0]
        bounds = {key: numpy.empty(len(members)) for key in KEYS}
        for fold in range(FOLD_COUNT):
            learnt = members[corpus.folds[members] != fold]
            usual = fit.bounds[number]
            for key, value in to_narrow(usual, choose(part[learnt], corpus, learnt)).items():
                bounds[key][corpus.folds[members] == fold] = value
        chosen.append(to_narrow(fit.bounds[number], choose(part[members], corpus, members)))
        labels, shares = corpus.is_artificial[members], corpus.weigh(members)
        figures = measure(part[members], labels, shares, bounds)
        accused = (part[members] >= bounds["cautiousThreshold"])[~labels]
        told.append({
            "rows": len(members), "owners": [len(set(corpus.owners[members][labels == side])) for side in (False, True)],
            "figures": figures, "intervals": bootstrap(part[members], labels, shares, corpus.owners[members], bounds),
            "conformal": to_bound(accused, corpus.owners[members][~labels]),
        })
        print(PARTS[number], chosen[-1], {key: round(figures[key], 4) for key in ("auc", "falseAlarmRateCautious", "recallCautious", "falseAlarmRateBalanced")}, told[-1]["rows"], told[-1]["owners"], f"conformal {told[-1]['conformal']:.4f}")
    return chosen, told


def choose_all(options):
    """Writes OUT/chosen.json and OUT/left-out.npz, and prints the figures."""
    rows, corpus = make_corpus(options)
    fit = Fit(corpus, numpy.arange(len(corpus.files)))
    fused, single, bounds = decide_left_out(corpus)
    measured = {name: measure_tiers(corpus, odds, of) for name, odds, of in zip(PARTS, (single[:, 0], single[:, 1], fused), bounds)}
    for name, tiers in measured.items():
        show(name, tiers)
    print(fit.calibrations, fit.weights, fit.bounds, fit.short_bounds)
    narrow, told = choose_narrow(options, corpus, fit, single, fused)
    kept = numpy.ones(len(rows.sources), dtype=bool)
    chosen = {
        "calibrations": fit.calibrations, "weights": fit.weights, "bounds": fit.bounds, "shortBounds": fit.short_bounds, "measured": measured, "narrow": narrow, "narrowFigures": told,
        "corpus": describe_count(rows, rows.is_corpus), "languages": describe_languages(rows, rows.is_corpus), "trainedOn": describe_count(rows, kept),
        "set": f"corpus-{hashlib.sha256(chr(10).join(sorted(corpus.files)).encode()).hexdigest()[:12]}",
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "chosen.json").write_text(json.dumps(chosen, indent=1, default=float), encoding="utf-8")
    numpy.savez(options.out / "left-out.npz", fused=fused, single=single, tiers=corpus.tiers, labels=corpus.is_artificial, sources=corpus.sources, owners=corpus.owners, files=numpy.array(corpus.files))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for name, function in (("score", score), ("choose", choose_all)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("--windows", type=Path, required=True, help="what record-windows.ts wrote")
        command.add_argument("--data", type=Path, required=True, help="the collection at hand")
        command.add_argument("--out", type=Path, required=True)
        if name == "score":
            command.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
            command.add_argument("--state", type=Path, nargs="+", required=True)
            command.add_argument("--without", type=int, required=True)
        else:
            command.add_argument("--left-out", type=Path, nargs="+", required=True, help="what `score` wrote")
            command.add_argument("--statistics", type=Path, required=True, help="folder of record-windows.ts with the statistics' logits")
            command.add_argument("--bands", type=Path, nargs="+", required=True, help="lines with `upperBandDb`, of record-windows.ts or of measure-bands.ts")
    options = parser.parse_args()
    options.function(options)
