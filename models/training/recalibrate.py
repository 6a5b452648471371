"""Stage 6, where the network stays: a new version of the pack from `corpus_scores.py`'s scores of pictures that it never saw.

Writes what the appliance looks at, calibration, bounds, figures, card and the table of scores; the graph and its golden
outputs stay. Everything is chosen on the corpus' inside harvest; figures of it come from calibrations and bounds of the
other owners. `--outside` is the harvest that nothing is chosen by: it is measured once a version, and stands first.
"""

import argparse
import hashlib
import json
import math
import shutil
from pathlib import Path

import numpy

from calibrate import CAUTIOUS_FALSE_ALARM_RATE, LINE_DIGITS
from card import show
from corpus_card import write_card
from decisions import PERCENT, choose_band, choose_cautious_threshold, to_quantile
from manifest import MANIFEST_FILE
from metrics import bootstrap, compare_auc, fit_platt, measure, to_auc, to_probability, to_tpr_at_fpr
from placement import CANDIDATE_COUNT_MAX, CANDIDATE_STEP, DETAIL_SHARE_MIN, PATCH_COUNT_MAX
from score_table import write_score_table
from tables import FIGURE_TITLES, to_table
from tiers import CONFOUNDS, TIERS
from traces.folds import assign_folds
from weights import weigh

FOLD_COUNT = 5
FIGURE_DIGITS = 4
FALSE_ALARM_RATE = 0.075
"""Share of human pictures in each tier that `balanced` may call artificial: under the promised 8 %, since other owners exceed it."""
KIND_PICTURES_MIN = 15
Z_95 = 1.959964
BOUNDS = ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")
MANIFEST_FIGURES = (
    "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
)
SHOWN = (
    "auc", "tprAtFpr5", "ece", "falseAlarmRateBalanced", "recallBalanced", "falseAlarmRateCautious", "recallCautious",
    "coverage", "balancedAccuracyDecided",
)
TITLES = {**FIGURE_TITLES, "recallBalanced": "recall of `balanced`"}
SET_DIGITS = 12


class Scored:
    """Pictures of one harvest that have an answer in every tier.

    `caution_min` is the threshold of `cautious` that held on another harvest: caution has to hold on both.
    """

    def __init__(self, path, caution_min=0.0):
        self.caution_min = caution_min
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        tiers = list(rows[0]["tiers"])
        self.rows = [row for row in rows if all(row["tiers"][tier]["now"] is not None for tier in tiers)]
        self.refused = len(rows) - len(self.rows)
        self.labels = numpy.array([row["label"] == "artificial" for row in self.rows])
        self.sources = numpy.array([f"{row['label']}/{row['source']}" for row in self.rows])
        self.owners = numpy.array([f"{row['label']}/{row['owner']}" for row in self.rows])
        # An owner with twenty generators of one scene is not twenty voices.
        self.weights = weigh(self.owners, self.labels)
        self.scores = {tier: numpy.array([row["tiers"][tier]["now"] for row in self.rows]) for tier in tiers}

    def fit(self, kept):
        """Returns line and bounds from some of the pictures, in all three tiers; a tier counts for as much as another."""
        scores = [self.scores[tier.name][kept] for tier in TIERS]
        labels, weights = self.labels[kept], weigh(self.owners[kept], self.labels[kept])
        tiled = [numpy.tile(part, len(TIERS)) for part in (labels, weights)]
        line = [round(value, LINE_DIGITS) for value in fit_platt(numpy.concatenate(scores), *tiled)]
        stated = [to_probability(line[0] * part + line[1]) for part in scores]
        threshold = choose_cautious_threshold([(part, labels, weights) for part in stated], CAUTIOUS_FALSE_ALARM_RATE)
        threshold = max(threshold, self.caution_min)
        low, high = choose_band(numpy.concatenate(stated), *tiled)
        # Pooled, the tiers hide that one of them accuses more.
        highest = [to_quantile(part[~labels], weights[~labels], 1 - FALSE_ALARM_RATE) for part in stated]
        high = max(high, *(float(numpy.ceil(value * PERCENT) / PERCENT) for value in highest))
        return {
            "line": line, "cautiousThreshold": round(threshold + 5e-7, LINE_DIGITS), "inconclusiveLow": low, "inconclusiveHigh": high,
        }

    def decide_left_out(self):
        """Returns {tier: (probabilities, decision)}, each picture by what was fitted on the other folds' owners."""
        folds = numpy.array(assign_folds(self.rows, fold_count=FOLD_COUNT))
        fitted = [self.fit(folds != fold) for fold in range(FOLD_COUNT)]
        decision = {name: numpy.array([fitted[fold][name] for fold in folds]) for name in BOUNDS}
        lines = numpy.array([fitted[fold]["line"] for fold in folds])
        return {tier.name: (to_probability(lines[:, 0] * self.scores[tier.name] + lines[:, 1]), decision) for tier in TIERS}

    def decide(self, fitted):
        """Returns {tier: (probabilities, decision)} by one line and its bounds."""
        slope, intercept = fitted["line"]
        decision = {name: fitted[name] for name in BOUNDS}
        return {tier.name: (to_probability(slope * self.scores[tier.name] + intercept), decision) for tier in TIERS}


def measure_tiers(scored, decided):
    """Returns [{tier, figures: {name: {value, low, high}}, kinds}], intervals over owners."""
    found = []
    for tier, (probabilities, decision) in decided.items():
        named = measure(probabilities, scored.labels, scored.weights, decision)
        ranges = bootstrap(probabilities, scored.labels, scored.weights, scored.owners, decision)
        figures = {name: {"value": value, "low": ranges[name][0], "high": ranges[name][1]} for name, value in named.items()}
        for name in ("falseAlarmRateBalanced", "falseAlarmRateCautious"):
            # Drawing owners again never finds an accusation where there was none: the interval would be empty.
            figures[name]["low"], figures[name]["high"] = wilson(figures[name]["value"], len(set(scored.owners[~scored.labels])))
        # What balanced finds follows from its two errors, which are bounded together.
        balanced = figures["balancedAccuracy"], figures["falseAlarmRateBalanced"]
        figures["recallBalanced"] = add_recall(probabilities, scored, decision, balanced)
        found.append({"tier": tier, "figures": figures, "kinds": list(measure_kinds(probabilities, scored, decision))})
    return found


def add_recall(probabilities, scored, decision, balanced):
    accuracy, alarms = (one["value"] for one in balanced)
    value = 2 * accuracy - 1 + alarms
    low, high = wilson(value, len(set(scored.owners[scored.labels])))
    return {"value": value, "low": low, "high": high}


def wilson(share, count):
    centre, spread = share + Z_95**2 / (2 * count), Z_95 * math.sqrt(share * (1 - share) / count + Z_95**2 / (4 * count**2))
    return tuple(min(1.0, max(0.0, (centre + side * spread) / (1 + Z_95**2 / count))) for side in (-1, 1))


def measure_kinds(probabilities, scored, decision):
    """Yields how often pictures of a kind are called artificial; kinds of too few pictures are left out."""
    called = probabilities >= decision["inconclusiveHigh"]
    families = numpy.array([row["family"] for row in scored.rows])
    for label in (False, True):
        for family in sorted(set(families[scored.labels == label])):
            rows = (families == family) & (scored.labels == label)
            if rows.sum() < KIND_PICTURES_MIN or family in ("", "unknown"):
                continue
            share = float(numpy.average(called[rows], weights=scored.weights[rows]))
            owners = len(set(scored.owners[rows]))
            low, high = wilson(share, owners)
            yield {
                "label": "artificial" if label else "human", "kind": family, "images": int(rows.sum()),
                "sources": len(set(scored.sources[rows])),
                **{name: round(value, FIGURE_DIGITS) for name, value in (("called", share), ("calledLow", low), ("calledHigh", high))},
            }


def to_manifest_figure(scored, tier):
    figures = tier["figures"]
    auc = {name: round(figures["auc"][part], FIGURE_DIGITS) for name, part in (("auc", "value"), ("aucLow", "low"), ("aucHigh", "high"))}
    rest = {name: round(figures[name]["value"], FIGURE_DIGITS) for name in MANIFEST_FIGURES}
    return {"tier": tier["tier"], "sources": len(set(scored.sources)), "images": len(scored.rows), **auc, **rest, "kinds": tier["kinds"]}


def make_figure_table(tiers):
    rows = [
        [TITLES[name], *(show(tier["figures"][name], name not in ("auc", "ece")) for tier in tiers)] for name in SHOWN
    ]
    return to_table(["", *(tier["tier"] for tier in tiers)], rows)


def make_kind_table(tiers):
    if not tiers[0]["kinds"]:
        return f"No family has {KIND_PICTURES_MIN} pictures here."
    rows = []
    for kind in tiers[0]["kinds"]:
        same = [next((one for one in tier["kinds"] if (one["label"], one["kind"]) == (kind["label"], kind["kind"])), None) for tier in tiers]
        cells = [f"{100 * one['called']:.0f} % ({100 * one['calledLow']:.0f}–{100 * one['calledHigh']:.0f})" if one else "–" for one in same]
        rows.append([kind["label"], kind["kind"], kind["images"], kind["sources"], *cells])
    return to_table(["", "", "pictures", "sources", *(tier["tier"] for tier in tiers)], rows)


def make_confound_table(scored):
    weights = weigh(scored.sources, scored.labels)
    rows = []
    for confound in CONFOUNDS:
        change, (low, high) = compare_auc(scored.scores["clean"], scored.scores[confound.name], scored.labels, weights, scored.sources)
        rows.append([confound.description, f"{change:+.3f} ({low:+.3f} to {high:+.3f})"])
    return to_table(["made the same for all", "change of the AUC"], rows)


def make_before_table(before, now):
    """Both networks on the same pictures, in the same order."""
    if [row["file"] for row in before.rows] != [row["file"] for row in now.rows]:
        raise SystemExit("expected the scores of before to be of the same pictures")
    rows = []
    for tier in TIERS:
        scores = before.scores[tier.name], now.scores[tier.name]
        auc = [to_auc(part, now.labels, now.weights) for part in scores]
        found = [to_tpr_at_fpr(part, now.labels, now.weights, 0.05) for part in scores]
        change, (low, high) = compare_auc(*scores, now.labels, now.weights, now.owners)
        rows.append([
            tier.name, *(f"{value:.3f}" for value in auc), f"{change:+.3f} ({low:+.3f} to {high:+.3f})",
            f"{100 * found[0]:.0f} → {100 * found[1]:.0f} %",
        ])
    return to_table(["", "before", "now", "change", "found"], rows)


def recalibrate(arguments):
    manifest = json.loads((arguments.pack / MANIFEST_FILE).read_text(encoding="utf-8"))
    inside = Scored(arguments.scores, manifest["decision"]["cautiousThreshold"])
    fitted = inside.fit(numpy.ones(len(inside.rows), dtype=bool))
    tiers = measure_tiers(inside, inside.decide_left_out())
    names = "\n".join(sorted(row["file"] for row in inside.rows))
    slope, intercept = fitted["line"]
    manifest["version"] = arguments.version
    manifest["view"] = {
        **manifest["view"], "countMax": PATCH_COUNT_MAX, "candidateCountMax": CANDIDATE_COUNT_MAX,
        "candidateStep": CANDIDATE_STEP, "detailShareMin": DETAIL_SHARE_MIN,
    }
    set_name = f"corpus-{hashlib.sha256(names.encode()).hexdigest()[:SET_DIGITS]}"
    manifest["calibration"] = {**manifest["calibration"], "slope": slope, "intercept": intercept, "set": set_name}
    manifest["decision"] = {**{name: fitted[name] for name in BOUNDS}, "weight": manifest["decision"]["weight"]}
    manifest["figures"] = [to_manifest_figure(inside, tier) for tier in tiers]
    outside = Scored(arguments.outside) if arguments.outside else None
    out = arguments.out
    if out.resolve() != arguments.pack.resolve():
        shutil.copytree(arguments.pack, out, dirs_exist_ok=True)
    (out / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    states = {tier: slope * scores + intercept for tier, scores in inside.scores.items()}
    labels = ["artificial" if label else "human" for label in inside.labels]
    write_score_table(out / "left-out-scores.tsv", labels, [row["source"] for row in inside.rows], states)
    table_auc = to_auc(inside.scores["clean"], inside.labels, weigh(inside.sources, inside.labels))
    outside_tiers = measure_tiers(outside, outside.decide(fitted)) if outside else []
    filled = {
        "figures": make_figure_table(tiers), "kinds": make_kind_table(tiers), "confounds": make_confound_table(inside),
        "outside": make_figure_table(outside_tiers) if outside else "", "table": f"{table_auc:.3f}",
        "set": set_name, "inside_counts": count(inside), "outside_counts": count(outside) if outside else "",
        "auc": f"{(outside_tiers or tiers)[0]['figures']['auc']['value']:.2f}",
        "hardest": f"{(outside_tiers or tiers)[-1]['figures']['auc']['value']:.2f}",
        "daemon": arguments.daemon.read_text(encoding="utf-8").strip() if arguments.daemon else "",
        "owners": len(set(inside.owners[~inside.labels])),
        "allowed": f"{100 * wilson(0.0, len(set(inside.owners[~inside.labels])))[1]:.0f}",
        "before": make_before_table(Scored(arguments.before), inside) if arguments.before else "",
        "before_outside": make_before_table(Scored(arguments.before_outside), outside) if arguments.before_outside else "",
        "places": arguments.places.read_text(encoding="utf-8").strip(),
    }
    write_card(out, manifest, filled)
    for title, found in (("inside", tiers), ("outside", outside_tiers)):
        for tier in found:
            print(title, tier["tier"], {name: f"{tier['figures'][name]['value']:.3f}" for name in SHOWN}, flush=True)
    print(fitted)


def count(scored):
    parts = []
    for label, name in ((False, "human"), (True, "artificial")):
        rows = scored.labels == label
        parts.append(f"{rows.sum()} {name} pictures of {len(set(scored.sources[rows]))} sources and {len(set(scored.owners[rows]))} owners")
    return " and ".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=Path, required=True, help="of corpus_scores.py, of the inside harvest")
    parser.add_argument("--outside", type=Path, help="the same of the outside harvest: once a version")
    parser.add_argument("--before", type=Path, help="scores of the version before, of the same inside pictures")
    parser.add_argument("--before-outside", type=Path, help="the same of the outside harvest, of which the version before was measured once")
    parser.add_argument("--daemon", type=Path, help="a sentence on the outside files through a running appliance")
    parser.add_argument("--places", type=Path, required=True, help="what `places.py compare` printed")
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of the new pack")
    recalibrate(parser.parse_args())
