"""Stage 7, on the corpus: makes both packs of a version from what hear-files.ts wrote.

`python3 corpus_pack.py --heard DIR --data DIR --encoder FILE --node NODE --media DIR --out DIR --encoder-version V --statistics-version V`

The encoder's pack gets new lines and networks; the statistics keep their graph. Both are calibrated, weighed and bounded on
owners that were left out, of the collection at hand and of the corpus' inside harvest alike: on the corpus alone, which is mostly
of developers' microphones, studios were accused (a fifth of them by `balanced`). The statistics learnt from the collection at
hand: there the encoder speaks alone. What is decided of an owner comes from the other owners. What was fitted and lies in OUT is
not fitted again. Writes OUT/<pack> with graph, golden outputs, parity and model.json; corpus_card.py adds the card.
"""

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path

import numpy
from onnx import helper

from conformal import choose_conformal_threshold, to_bound
from corpus_fit import TIERS, fit_all, read_rows, to_folds
from encoder_graph import FEATURES, Builder, drop_unused, make_features_graph, write_model
from figures import SHORT_BELOW_SECONDS, fit_calibration, to_log_odds, to_rounded, widen
from languages import UNKNOWN
from lines import CLIP_AT, LAYER_FEATURES
from packs import PACKS
from scoring import weigh

sys.path.append(str(Path(__file__).parent.parent))
from decisions import choose_band  # noqa: E402
from metrics import bootstrap, measure, to_cllr, to_probability  # noqa: E402

CAUTIOUS_RISK_MAX = 0.01
BALANCED_RISK_MAX = 0.08
PERCENT = 100
FOLD_COUNT = 5
WEIGHTS_TRIED = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Of the encoder, against 1 of the statistics."""


class Corpus:
    """The usable rows of both collections, with the logits of both packs: left out (encoder), or never seen (statistics)."""

    def __init__(self, rows, usable, logits):
        kept = numpy.nonzero(usable)[0]
        # The statistics learnt from the collection at hand: what they say of it is no measure.
        unseen = numpy.where(rows.is_corpus, rows.heard.statistics, numpy.nan)
        self.logits = numpy.stack([logits, unseen], axis=1)[kept]
        self.is_artificial, self.sources, self.owners = rows.is_artificial[kept], rows.sources[kept], rows.owners[kept]
        self.tiers, self.folds, self.languages = rows.tiers[kept], to_folds(rows)[kept], rows.languages[kept]
        self.seconds = rows.heard.speech_seconds[kept]
        self.files = [rows.heard.files[index] for index in kept]
        self.kinds = numpy.array(["at hand" if not mine else "developers" if "/mic-" in source or "/code-" in source else "demonstrations and test files" for mine, source in zip(rows.is_corpus[kept], self.sources)])

    def weigh(self, members):
        return weigh(self.owners[members], self.is_artificial[members])


class Fit:
    """Calibrations of both packs, their weights, and bounds of each and of both together, from some of the rows."""

    def __init__(self, corpus, members):
        self.calibrations = []
        for pack in range(2):
            own = members[numpy.isfinite(corpus.logits[members, pack])]
            columns = numpy.stack([corpus.logits[own, pack], *numpy.zeros((2, len(own)))], axis=1)
            self.calibrations.append(to_rounded(fit_calibration(columns, corpus.is_artificial[own], corpus.weigh(own))))
        single = self.single(corpus, members)
        both = numpy.isfinite(single[:, 1])
        labels, shares = corpus.is_artificial[members][both], corpus.weigh(members[both])
        self.weights = min(
            ((weight, 1.0) for weight in WEIGHTS_TRIED),
            key=lambda weights: to_cllr(to_probability(single[both] @ numpy.array(weights) / sum(weights)), labels, shares),
        )
        self.bounds, self.short_bounds = [], []
        is_short = corpus.seconds[members] < SHORT_BELOW_SECONDS
        for part in (single[:, 0], single[:, 1], self.fuse(single)):
            answered = numpy.isfinite(part)
            self.bounds.append(choose_bounds(to_probability(part[answered]), corpus, members[answered]))
            short = answered & is_short
            self.short_bounds.append(widen(choose_bounds(to_probability(part[short]), corpus, members[short]), self.bounds[-1]))

    def single(self, corpus, members):
        found = numpy.full((len(members), 2), numpy.nan)
        for pack in range(2):
            own = numpy.isfinite(corpus.logits[members, pack])
            columns = numpy.stack([corpus.logits[members[own], pack], *numpy.zeros((2, own.sum()))], axis=1)
            found[own, pack] = to_log_odds(columns, self.calibrations[pack])
        return found

    def fuse(self, single):
        together = single @ numpy.array(self.weights) / sum(self.weights)
        return numpy.where(numpy.isfinite(single[:, 1]), together, single[:, 0])


def choose_bounds(probabilities, corpus, members):
    """Returns the bounds of model.json: `cautious` and `balanced` keep their promise for the next owner, in each tier."""
    shares = corpus.weigh(members)
    labels, owners, tiers = (part[members] for part in (corpus.is_artificial, corpus.owners, corpus.tiers))

    def of_tiers(risk):
        return max(choose_threshold(probabilities[kept], owners[kept], risk) for kept in (~labels & (tiers == tier) for tier in range(len(TIERS))))

    low, high = choose_band(probabilities, labels, shares)
    high = max(high, numpy.ceil(of_tiers(BALANCED_RISK_MAX) * PERCENT) / PERCENT)
    cautious = max(of_tiers(CAUTIOUS_RISK_MAX), high)
    return to_rounded({"cautiousThreshold": cautious + 5e-7, "inconclusiveLow": low, "inconclusiveHigh": min(high, 0.99)})


def choose_threshold(probabilities, owners, risk):
    """Some four fifths of the owners are too few to promise 1 %: what is left out then stands above all of them."""
    return choose_conformal_threshold(probabilities, owners, max(risk, 1 / (len(set(owners)) + 1)))


def decide_left_out(corpus):
    """Returns (log-odds fused, those of each pack, {bound: per row} of each and of both), each row by the other folds."""
    count = len(corpus.files)
    fused, single = numpy.empty(count), numpy.empty((count, 2))
    bounds = [{name: numpy.empty(count) for name in ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")} for _ in range(3)]
    for fold in range(FOLD_COUNT):
        fit = Fit(corpus, numpy.nonzero(corpus.folds != fold)[0])
        own = numpy.nonzero(corpus.folds == fold)[0]
        single[own] = fit.single(corpus, own)
        fused[own] = fit.fuse(single[own])
        is_short = corpus.seconds[own] < SHORT_BELOW_SECONDS
        for part, chosen, short in zip(bounds, fit.bounds, fit.short_bounds):
            for name, value in chosen.items():
                part[name][own] = numpy.where(is_short, short[name], value)
    return fused, single, bounds


def measure_tiers(corpus, log_odds, bounds):
    """Returns [{tier, sources, clips, figures, intervals, conformal}]; intervals over owners."""
    found = []
    for number, tier in enumerate(TIERS):
        rows = numpy.nonzero((corpus.tiers == number) & numpy.isfinite(log_odds))[0]
        decision = {name: values[rows] for name, values in bounds.items()}
        probabilities, labels = to_probability(log_odds[rows]), corpus.is_artificial[rows]
        accused = probabilities[~labels] >= decision["cautiousThreshold"][~labels]
        found.append({
            "tier": tier, "sources": len(set(corpus.sources[rows])), "clips": len(rows),
            "owners": [len(set(corpus.owners[rows][labels == side])) for side in (False, True)],
            "figures": measure(probabilities, labels, corpus.weigh(rows), decision),
            "intervals": bootstrap(probabilities, labels, corpus.weigh(rows), corpus.owners[rows], decision),
            "conformal": to_bound(accused, corpus.owners[rows][~labels]),
            "recallBalanced": float(numpy.average(probabilities[labels] >= decision["inconclusiveHigh"][labels], weights=corpus.weigh(rows)[labels])),
            "languages": measure_groups(corpus, corpus.languages, rows, probabilities, decision),
            "kinds": measure_groups(corpus, corpus.kinds, rows, probabilities, decision),
        })
    return found


def measure_groups(corpus, groups, rows, probabilities, decision):
    """Returns {group: {owners, files, even, balanced, cautious}}: shares of its human files that are accused."""
    found = {}
    weights, human = corpus.weigh(rows), ~corpus.is_artificial[rows]
    for group in sorted(set(groups[rows])):
        kept = human & (groups[rows] == group)
        if kept.sum() >= 3:
            bounds = {"even": 0.5, "balanced": decision["inconclusiveHigh"][kept], "cautious": decision["cautiousThreshold"][kept]}
            shares = {name: float(numpy.average(probabilities[kept] >= bound, weights=weights[kept])) for name, bound in bounds.items()}
            found[str(group)] = {"owners": len(set(corpus.owners[rows][kept])), "files": int(kept.sum()), **shares}
    return found


def describe_count(rows, kept):
    counts = []
    for name, side in (("human", False), ("artificial", True)):
        own = kept & (rows.is_artificial == side)
        files = len({file for file, mine in zip(rows.heard.files, own) if mine})
        counts.append(f"{files:,} {name} clips of {len(set(rows.sources[own]))} sources")
    return " and ".join(counts)


def describe_languages(rows, kept):
    """Returns {both, human, artificial}: the languages that are there under both labels, or under one alone."""
    sides = [set(rows.languages[kept & (rows.is_artificial == side)].tolist()) - {UNKNOWN} for side in (False, True)]
    return {"both": sorted(sides[0] & sides[1]), "human": sorted(sides[0] - sides[1]), "artificial": sorted(sides[1] - sides[0])}


def add_parts(graph, standard, lines, network, deviations):
    """Adds lines and networks behind the features; the graph's output becomes their combination."""
    layers = len(lines.biases)
    part = 0.5 / deviations
    of_layers = numpy.repeat(part[:-1] / layers, LAYER_FEATURES)
    network = network.scaled_by(part[-1])
    bias = (lines.biases * part[:-1] / layers).sum() + network.bias
    add_reading(graph, {
        "means": standard.means, "scales": standard.scales, "line": lines.weights * of_layers,
        "hidden": network.hidden, "offsets": network.offsets, "last": network.last, "bias": bias,
    })


def add_reading(graph, parts):
    """Adds what reads one logit of the features: a line, and networks of one hidden layer, by the names of encoder_network.Speech."""
    builder = Builder(graph)
    shapes = {"line": (-1, 1), "last": (-1, 1), "bias": (1,)}
    for name, value in {**parts, "least": -CLIP_AT, "most": CLIP_AT}.items():
        value = numpy.asarray(value, dtype=numpy.float32)
        builder.constant(f"heads/{name}", numpy.ascontiguousarray(value.reshape(shapes.get(name, value.shape))))
    builder.constant("heads/column", numpy.array([1], dtype=numpy.int64))
    centred = builder.add("Sub", [FEATURES, "heads/means"], "heads/centred")
    scaled = builder.add("Mul", [centred, "heads/scales"], "heads/scaled")
    clipped = builder.add("Clip", [scaled, "heads/least", "heads/most"], "heads/clipped")
    said = builder.add("MatMul", [clipped, "heads/line"], "heads/said")
    hidden = builder.add("MatMul", [clipped, "heads/hidden"], "heads/hidden/product")
    raised = builder.add("Add", [hidden, "heads/offsets"], "heads/hidden/raised")
    active = builder.add("Relu", [raised], "heads/hidden/active")
    heard = builder.add("MatMul", [active, "heads/last"], "heads/heard")
    both = builder.add("Add", [said, heard], "heads/both")
    whole = builder.add("Add", [both, "heads/bias"], "heads/whole")
    builder.add("Squeeze", [whole, "heads/column"], "logit")
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info("logit", 1, ["count"]))


def fit_once(options, rows, usable):
    """Returns the left-out logits; writes the encoder's graph and what it is made of, unless they are there."""
    stored = options.out / "logits.npz"
    if stored.exists():
        return numpy.load(stored)["logits"]
    logits, standard, fitted, deviations = fit_all(rows, usable)
    encoder = options.out / PACKS["encoder"].id
    encoder.mkdir(parents=True, exist_ok=True)
    graph = make_features_graph(options.encoder, PACKS["encoder"].window_samples)
    add_parts(graph, standard, fitted.lines, fitted.network, deviations)
    drop_unused(graph)
    write_model(graph, encoder / "model.onnx")
    parts = {f"lines-{name}": value for name, value in vars(fitted.lines).items()}
    parts |= {f"network-{name}": value for name, value in vars(fitted.network).items()}
    numpy.savez(options.out / "corpus-fit.npz", deviations=deviations, means=standard.means, scales=standard.scales, **parts)
    numpy.savez(stored, logits=logits)
    return logits


def make_packs(options):
    rows, usable = read_rows(options.heard, options.data)
    logits = fit_once(options, rows, usable)
    corpus = Corpus(rows, usable, logits)
    fit = Fit(corpus, numpy.arange(len(corpus.files)))
    fused, single, bounds = decide_left_out(corpus)
    measured = {"encoder": measure_tiers(corpus, single[:, 0], bounds[0]), "statistics": measure_tiers(corpus, single[:, 1], bounds[1]), "together": measure_tiers(corpus, fused, bounds[2])}
    statistics = options.out / PACKS["statistics"].id
    shutil.copytree(options.models / PACKS["statistics"].id, statistics, dirs_exist_ok=True)
    chosen = {"calibrations": fit.calibrations, "weights": fit.weights, "bounds": fit.bounds, "shortBounds": fit.short_bounds, "measured": measured,
              "corpus": describe_count(rows, usable & rows.is_corpus), "languages": describe_languages(rows, usable & rows.is_corpus), "trainedOn": describe_count(rows, usable),
              "set": f"corpus-{hashlib.sha256(chr(10).join(sorted(corpus.files)).encode()).hexdigest()[:12]}"}
    (options.out / "chosen.json").write_text(json.dumps(chosen, indent=1, default=float), encoding="utf-8")
    numpy.savez(options.out / "left-out.npz", fused=fused, single=single, tiers=corpus.tiers, labels=corpus.is_artificial, sources=corpus.sources, owners=corpus.owners, files=numpy.array(corpus.files))
    for name, tiers in measured.items():
        for tier in tiers:
            figures = tier["figures"]
            print(name, tier["tier"], tier["clips"], tier["owners"], {key: round(figures[key], 3) for key in ("auc", "tprAtFpr5", "ece", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious", "coverage")}, f"balanced finds {tier['recallBalanced']:.3f} conformal {tier['conformal']:.4f}", flush=True)
    print(fit.calibrations, fit.weights, fit.bounds, fit.short_bounds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heard", type=Path, required=True, help="what hear-files.ts wrote: base and inside")
    parser.add_argument("--data", type=Path, required=True, help="the collection at hand")
    parser.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
    parser.add_argument("--models", type=Path, required=True, help="folder of the packs that are there")
    parser.add_argument("--out", type=Path, required=True)
    make_packs(parser.parse_args())
