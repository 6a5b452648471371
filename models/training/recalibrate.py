"""Stage 6, where the network stays: a new version of the pack from `corpus_scores.py`'s scores of pictures that it never saw.

Writes what the appliance looks at, calibration, bounds, figures, card and the table of scores; the graph and its golden
outputs stay. Everything is chosen on the corpus' inside harvest; figures of it come from calibrations and bounds of the
other owners. `--outside` is the harvest that nothing is chosen by: it is measured once a version, and stands first.
"""

import argparse
import hashlib
import json
import shutil
from pathlib import Path

import numpy

from card import show
from corpus_card import write_card
from manifest import MANIFEST_FILE
from metrics import bootstrap, compare_auc, measure, to_auc, to_tpr_at_fpr
from placement import CANDIDATE_COUNT_MAX, CANDIDATE_STEP, DETAIL_SHARE_MIN, PATCH_COUNT_MAX
from score_table import write_score_table
from scored import BOUNDS, CAUTIOUS_RISK, Scored, wilson
from strata import make_strata_table
from tables import FIGURE_TITLES, to_table
from tiers import CONFOUNDS, TIERS
from weights import weigh

FIGURE_DIGITS = 4
KIND_PICTURES_MIN = 15
MANIFEST_FIGURES = (
    "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
)
SHOWN = (
    "auc", "tprAtFpr5", "ece", "falseAlarmRateBalanced", "recallBalanced", "falseAlarmRateCautious", "recallCautious",
    "coverage", "balancedAccuracyDecided",
)
TITLES = {**FIGURE_TITLES, "recallBalanced": "recall of `balanced`"}
SET_DIGITS = 12


def take_decided(decided, kept):
    return {
        tier: (probabilities[kept], {name: values[kept] for name, values in decision.items()})
        for tier, (probabilities, decision) in decided.items()
    }


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
    """Both networks on the pictures that both were asked about."""
    common = {row["file"] for row in before.rows} & {row["file"] for row in now.rows}
    before, now = (one.select([row["file"] in common for row in one.rows]) for one in (before, now))
    if [row["file"] for row in before.rows] != [row["file"] for row in now.rows]:
        raise SystemExit("expected the scores of before in the same order")
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


class Harvests:
    """What is measured: the pictures of the inside harvest by the shipped network, those by its siblings, and the outside ones."""

    def __init__(self, arguments, line):
        self.inside, self.own = Scored([*arguments.scores, *arguments.siblings], line), Scored(arguments.scores)
        self.fitted = self.inside.fit(numpy.ones(len(self.inside.rows), dtype=bool))
        # What a sibling says is no word of the shipped network: figures, confounds and the table of scores are its own.
        names = {row["file"] for row in self.own.rows}
        is_own = numpy.array([row["file"] in names for row in self.inside.rows])
        left_out = self.inside.decide_left_out()
        self.tiers = {"inside": measure_tiers(self.inside.select(is_own), take_decided(left_out, is_own))}
        if arguments.siblings:
            self.tiers["siblings"] = measure_tiers(self.inside.select(~is_own), take_decided(left_out, ~is_own))
        self.outside = {"outside": Scored(arguments.outside[:1])} if arguments.outside else {}
        if len(arguments.outside) > 1:
            self.outside["wider"] = Scored(arguments.outside)
        for name, scored in self.outside.items():
            self.tiers[name] = measure_tiers(scored, scored.decide(self.fitted))

    def table(self, name):
        return make_figure_table(self.tiers[name]) if name in self.tiers else ""


def fill_manifest(manifest, harvests, version):
    slope, intercept = harvests.fitted["line"]
    manifest["version"] = version
    manifest["view"] = {
        **manifest["view"], "countMax": PATCH_COUNT_MAX, "candidateCountMax": CANDIDATE_COUNT_MAX,
        "candidateStep": CANDIDATE_STEP, "detailShareMin": DETAIL_SHARE_MIN,
    }
    listed = "\n".join(sorted(row["file"] for row in harvests.inside.rows))
    set_name = f"corpus-{hashlib.sha256(listed.encode()).hexdigest()[:SET_DIGITS]}"
    manifest["calibration"] = {**manifest["calibration"], "slope": slope, "intercept": intercept, "set": set_name}
    before = manifest["decision"]
    # Videos were measured by the bounds of before: the most suspicious frames decide, and lower bounds accuse more of them.
    frames = before.get("frames") or {name: before[name] for name in BOUNDS}
    manifest["decision"] = {**{name: harvests.fitted[name] for name in BOUNDS}, "weight": before["weight"], "frames": frames}
    manifest["figures"] = [to_manifest_figure(harvests.own, tier) for tier in harvests.tiers["inside"]]


def fill_card(arguments, manifest, harvests):
    """Returns {name in the template: text}."""
    inside, own, outside = harvests.inside, harvests.own, harvests.outside
    first = harvests.tiers.get("outside", harvests.tiers["inside"])
    owners = len(set(inside.owners[~inside.labels]))
    table_auc = to_auc(own.scores["clean"], own.labels, weigh(own.sources, own.labels))
    return {
        "figures": harvests.table("inside"), "kinds": make_kind_table(harvests.tiers["inside"]), "confounds": make_confound_table(own),
        "sibling_figures": harvests.table("siblings"), "outside": harvests.table("outside"), "wider": harvests.table("wider"),
        "outside_counts": count(outside["outside"]) if outside else "", "wider_counts": count(outside["wider"]) if "wider" in outside else "",
        "inside_counts": count(inside), "own_counts": count(own), "siblings": describe_siblings(inside, own),
        "set": manifest["calibration"]["set"], "table": f"{table_auc:.3f}",
        "auc": f"{first[0]['figures']['auc']['value']:.2f}", "hardest": f"{first[-1]['figures']['auc']['value']:.2f}",
        "daemon": arguments.daemon.read_text(encoding="utf-8").strip() if arguments.daemon else "",
        "owners": owners, "allowed": f"{100 * wilson(0.0, owners)[1]:.0f}", "promised": f"{100 * max(CAUTIOUS_RISK, 1 / (owners + 1)):.1f} %",
        "strata": make_strata_table(own, arguments.corpus, harvests.fitted),
        "before": make_before_table(Scored([arguments.before]), own) if arguments.before else "",
        "before_outside": make_before_table(Scored([arguments.before_outside]), outside["outside"]) if arguments.before_outside else "",
        "places": arguments.places.read_text(encoding="utf-8").strip(),
    }


def recalibrate(arguments):
    manifest = json.loads((arguments.pack / MANIFEST_FILE).read_text(encoding="utf-8"))
    line = [manifest["calibration"][part] for part in ("slope", "intercept")] if arguments.keep_line else None
    harvests = Harvests(arguments, line)
    fill_manifest(manifest, harvests, arguments.version)
    out, own = arguments.out, harvests.own
    if out.resolve() != arguments.pack.resolve():
        shutil.copytree(arguments.pack, out, dirs_exist_ok=True)
    (out / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    slope, intercept = harvests.fitted["line"]
    labels = ["artificial" if label else "human" for label in own.labels]
    states = {tier: slope * scores + intercept for tier, scores in own.scores.items()}
    write_score_table(out / "left-out-scores.tsv", labels, [row["source"] for row in own.rows], states)
    write_card(out, manifest, fill_card(arguments, manifest, harvests))
    for title, found in harvests.tiers.items():
        for tier in found:
            print(title, tier["tier"], {name: f"{tier['figures'][name]['value']:.3f}" for name in SHOWN}, flush=True)
    print(harvests.fitted)


def describe_siblings(inside, own):
    if len(inside.rows) == len(own.rows):
        return ""
    added = len(set(inside.owners[~inside.labels])) - len(set(own.owners[~own.labels]))
    return f" {added} more owners of human pictures, which it learnt from, by networks of the same recipe that never saw them."


def count(scored):
    parts = []
    for label, name in ((False, "human"), (True, "artificial")):
        rows = scored.labels == label
        parts.append(f"{rows.sum()} {name} pictures of {len(set(scored.sources[rows]))} sources and {len(set(scored.owners[rows]))} owners")
    return " and ".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=Path, required=True, nargs="+", help="of the inside harvest, by the shipped network, of owners that it never saw")
    parser.add_argument("--siblings", type=Path, nargs="*", default=[], help="of owners that it learnt from, by networks of the same recipe that never saw them")
    parser.add_argument("--keep-line", action="store_true", help="calibration stays, and with it the reach of the copies for stability")
    parser.add_argument("--outside", type=Path, nargs="*", default=[], help="the same of the outside harvest, once a version: the pictures of every version, then those that came since")
    parser.add_argument("--before", type=Path, help="scores of the version before, of some of the same inside pictures")
    parser.add_argument("--corpus", type=Path, required=True, help="manifest of the pictures: format, size and age of each")
    parser.add_argument("--before-outside", type=Path, help="the same of the outside harvest, of which the version before was measured once")
    parser.add_argument("--daemon", type=Path, help="a sentence on the outside files through a running appliance")
    parser.add_argument("--places", type=Path, required=True, help="what `places.py compare` printed")
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of the new pack")
    recalibrate(parser.parse_args())
