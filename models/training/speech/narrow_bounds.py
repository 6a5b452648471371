"""Bounds for sound of a narrow band, of both packs as they ship: chosen by conformal prediction over owners that were left out.

`python3 narrow_bounds.py --heard DIR --data DIR --bands FILE FILE --left-out FILE --own FILE --models DIR [--versions ENCODER STATISTICS]`

Nothing is fitted: calibrations and weights are those of model.json. A row's logit is that of lines and networks that learnt from
other owners, or of the ones that ship where these never heard the source. How narrow a row is was measured by the appliance's own
code (measure-bands.ts). The figures of an owner are those of bounds that the other owners chose.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy

from conformal import to_bound
from corpus_fit import read_rows
from corpus_pack import BALANCED_RISK_MAX, CAUTIOUS_RISK_MAX, FOLD_COUNT, PERCENT, Corpus, choose_threshold
from corpus_publish import OwnWords
from figures import to_log_odds, to_rounded
from heard_files import read_lines
from packs import PACKS

sys.path.append(str(Path(__file__).parent.parent))
from decisions import choose_band  # noqa: E402
from metrics import bootstrap, measure, to_probability  # noqa: E402

BELOW_DB = -50.0
"""Sound over the telephone tier lies below -54 dB, 95 of 100 sounds as found above -43."""
PARTS = ("encoder", "statistics", "together")
KEYS = ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")
SECTION = """## Sound of a narrow band
Where a tone at 4.5 to 7.5 kHz has less than {below:g} dB of the power of one at 0.3 to 3.4 kHz, as over a telephone, `cautious` decides at p ≥ {alone:.3f} alone and p ≥ {together:.3f} together; with less than 2 s of speech the bounds for short speech hold. The appliance measures it, and the record says that these bounds applied. All else is as in the version before, its graph byte for byte.

Chosen by conformal risk control over owners as above, on narrow sound alone (`models/training/speech/narrow_bounds.py`, 24 November 2026: 1,474 rows of 224 human and 226 artificial owners, by networks of the same recipe that had not heard them, 70 sources of harder systems among them). Bounds of each owner come from the other folds. Both together, `cautious` finds 21.5 % (9.4 with the usual bounds) and accuses 0.9 % (0.2 to 2.0) of human sound (0.1); the next owner's share is at most 1.2 %, the promise being 1. `balanced` has the usual bounds: 54 % found at 8.8 % accused (bounds of its own found 56 at 9.6).

On `outside` through the daemon, once (24 November 2026, the 109 files above): over the telephone `cautious` finds 9.3 % (2.1 to 25.0; 2.1 with the usual bounds) and accuses none (up to 9.6 %); every other figure is that of the version before.
"""


def to_logits(options, rows):
    """Returns a logit per row: left out, or by the shipped ones where they never heard the row."""
    known = numpy.load(options.left_out)
    left_out = {key: value for *key, value in zip(known["files"], known["tiers"], known["logits"]) for key in [tuple(key)]}
    own = rows.heard.average(OwnWords(options.own).score(rows.heard.windows)[:, None])[:, 0]
    keys = [(file, tier) for file, tier in zip(rows.heard.files, rows.tiers)]
    return numpy.array([left_out.get(key, mine) for key, mine in zip(keys, own)]), numpy.array([key in left_out for key in keys])


def to_parts(corpus, manifests):
    """Returns probabilities [rows, 3]: of each pack, and of both together where both may be asked."""
    odds = numpy.full((len(corpus.files), 2), numpy.nan)
    for number, manifest in enumerate(manifests):
        calibration = {"floor": 0, "slopeNarrow": 0, "interceptNarrow": 0, **manifest["calibration"]}
        own = numpy.isfinite(corpus.logits[:, number])
        odds[own, number] = to_log_odds(numpy.stack([corpus.logits[own, number], *numpy.zeros((2, own.sum()))], axis=1), calibration)
    weights = [manifest["decision"]["weight"] for manifest in manifests]
    fused = numpy.where(numpy.isfinite(odds[:, 1]), odds @ numpy.array(weights) / sum(weights), odds[:, 0])
    return to_probability(numpy.column_stack([odds, fused]))


def choose(probabilities, corpus, members):
    labels, owners = corpus.is_artificial[members], corpus.owners[members]
    low, high = choose_band(probabilities, labels, corpus.weigh(members))
    balanced = choose_threshold(probabilities[~labels], owners[~labels], BALANCED_RISK_MAX)
    high = min(0.99, max(high, numpy.ceil(balanced * PERCENT) / PERCENT))
    cautious = max(choose_threshold(probabilities[~labels], owners[~labels], CAUTIOUS_RISK_MAX), high)
    return to_rounded({"cautiousThreshold": cautious + 5e-7, "inconclusiveLow": min(low, 0.5), "inconclusiveHigh": high})


def tell(name, probabilities, corpus, members, bounds):
    labels, shares, owners = corpus.is_artificial[members], corpus.weigh(members), corpus.owners[members]
    row = {key: numpy.broadcast_to(numpy.asarray(value, dtype=float), len(members)) for key, value in bounds.items()}
    figures = measure(probabilities, labels, shares, row)
    intervals = bootstrap(probabilities, labels, shares, owners, row)
    found = numpy.average(probabilities[labels] >= row["inconclusiveHigh"][labels], weights=shares[labels])
    of_owner = {key: to_bound((probabilities >= row[key])[~labels], owners[~labels]) for key in ("inconclusiveHigh", "cautiousThreshold")}
    print(
        f"{name}: {len(members)} rows, owners {len(set(owners[~labels]))} human {len(set(owners[labels]))} artificial; AUC {figures['auc']:.3f}, ECE {figures['ece']:.3f};"
        f" balanced accuses {figures['falseAlarmRateBalanced']:.3f} {intervals.get('falseAlarmRateBalanced')} finds {found:.3f}, next owner at most {of_owner['inconclusiveHigh']:.3f};"
        f" cautious accuses {figures['falseAlarmRateCautious']:.4f} {intervals.get('falseAlarmRateCautious')} finds {figures['recallCautious']:.3f}, next owner at most {of_owner['cautiousThreshold']:.4f}", flush=True,
    )
    return figures


def run(options):
    rows, usable = read_rows(options.heard, options.data)
    logits, is_left_out = to_logits(options, rows)
    corpus = Corpus(rows, usable, logits)
    bands = read_lines(options.bands, "upperBandDb")
    level = numpy.array([bands.get(key, numpy.nan) for key in zip(corpus.files, corpus.tiers)])
    print(f"{is_left_out.sum()} rows left out, {(~is_left_out).sum()} never heard; band unknown of {numpy.isnan(level).sum()}")
    manifests = [json.loads((options.models / pack.id / "model.json").read_text(encoding="utf-8")) for pack in PACKS.values()]
    parts = to_parts(corpus, manifests)
    own = [manifest["decision"] for manifest in manifests] + [manifests[0]["decision"]["together"]]
    narrow = level < options.below
    long = corpus.seconds >= manifests[0]["decision"]["short"]["belowSpeechSeconds"]
    chosen = {}
    for number, part in enumerate(PARTS):
        members = numpy.nonzero(narrow & long & numpy.isfinite(parts[:, number]))[0]
        bounds = {key: numpy.empty(len(members)) for key in KEYS}
        for fold in range(FOLD_COUNT):
            learnt = members[corpus.folds[members] != fold]
            for key, value in choose(parts[learnt, number], corpus, learnt).items():
                bounds[key][corpus.folds[members] == fold] = value
        chosen[part] = choose(parts[members, number], corpus, members)
        shipped = {key: own[number][key] for key in bounds}
        tell(f"{part}, usual bounds {shipped}", parts[members, number], corpus, members, shipped)
        tell(f"{part}, narrow bounds left out", parts[members, number], corpus, members, bounds)
        print(part, chosen[part])
    for name, kept in (("clean, wide", (corpus.tiers == 0) & ~narrow), ("mp3, wide", (corpus.tiers == 1) & ~narrow)):
        members = numpy.nonzero(kept & long)[0]
        tell(f"together, {name}, usual bounds", parts[members, 2], corpus, members, {key: own[2][key] for key in bounds})
    if options.versions is not None:
        publish(options, manifests, chosen)


def to_narrow(usual, chosen):
    """Only `cautious` gets a threshold of its own: what `balanced` accuses of narrow sound is within its promise as it is, and no more is found for it."""
    return {**{key: usual[key] for key in KEYS}, "cautiousThreshold": max(chosen["cautiousThreshold"], usual["inconclusiveHigh"])}


def publish(options, manifests, chosen):
    """Writes the next version of both packs in place: graph and golden outputs stay, the bounds for a narrow band are new."""
    keys = [f"{manifest['id']}@{version}" for manifest, version in zip(manifests, options.versions)]
    for manifest, version, part in zip(manifests, options.versions, PARTS):
        decision, folder = manifest["decision"], options.models / manifest["id"]
        decision["together"]["packs"] = keys
        together = to_narrow(decision["together"], chosen["together"])
        decision["narrow"] = {"belowUpperBandDb": options.below, **to_narrow(decision, chosen[part]), "together": together}
        card = (folder / "CARD.md").read_text(encoding="utf-8").replace(f" {manifest['version']}\n", f" {version}\n", 1)
        section = SECTION.format(below=options.below, alone=decision["narrow"]["cautiousThreshold"], together=together["cautiousThreshold"])
        manifest["version"] = version
        (folder / "CARD.md").write_text(f"{card.rstrip()}\n\n{section}", encoding="utf-8")
        (folder / "model.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heard", type=Path, required=True, help="what hear-files.ts wrote: base and inside")
    parser.add_argument("--data", type=Path, required=True, help="the collection at hand")
    parser.add_argument("--bands", type=Path, required=True, nargs="+", help="what measure-bands.ts wrote")
    parser.add_argument("--left-out", type=Path, required=True, help="left-out logits with files and tiers, .npz")
    parser.add_argument("--own", type=Path, required=True, help="corpus-fit.npz of the version that ships")
    parser.add_argument("--models", type=Path, required=True, help="folder of the packs that ship")
    parser.add_argument("--below", type=float, default=BELOW_DB)
    parser.add_argument("--versions", nargs=2, help="of the encoder and of the statistics: writes these versions of both packs into --models")
    run(parser.parse_args())
