"""Stage 6: calibration, bounds, figures, card and the table of scores of a pack, from scores of pictures that were left out.

What is left out is scored by networks of the same recipe that never saw its owners; the graph and its golden outputs stay. Everything is chosen on the corpus' inside harvest; figures of it come from calibrations and bounds of the
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
TEXTS = {
    "daemon": "a sentence on the outside files through a running appliance",
    "stability": "a sentence on the copies for stability", "frames": "sentences on the bounds of a video's frames",
}
"""What the card says and no score does, each from a file."""


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
    """What is measured: left-out pictures of the inside harvest, and the outside ones by the network that ships."""

    def __init__(self, arguments):
        self.inside = Scored(arguments.scores)
        self.fitted = self.inside.fit(numpy.ones(len(self.inside.rows), dtype=bool))
        self.tiers = {"inside": measure_tiers(self.inside, self.inside.decide_left_out())}
        self.outside = Scored([arguments.outside]) if arguments.outside else None
        if self.outside:
            self.tiers["outside"] = measure_tiers(self.outside, self.outside.decide(self.fitted))

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
    manifest["figures"] = [to_manifest_figure(harvests.inside, tier) for tier in harvests.tiers["inside"]]


def fill_card(arguments, manifest, harvests):
    """Returns {name in the template: text}."""
    inside, outside = harvests.inside, harvests.outside
    first = harvests.tiers.get("outside", harvests.tiers["inside"])
    owners = len(set(inside.owners[~inside.labels]))
    table_auc = to_auc(inside.scores["clean"], inside.labels, weigh(inside.sources, inside.labels))
    texts = {name: read_text(getattr(arguments, name)) for name in TEXTS}
    return texts | {
        "figures": harvests.table("inside"), "kinds": make_kind_table(harvests.tiers["inside"]), "confounds": make_confound_table(inside),
        "outside": harvests.table("outside"), "outside_counts": count(outside) if outside else "", "inside_counts": count(inside),
        "set": manifest["calibration"]["set"], "table": f"{table_auc:.3f}",
        "auc": f"{first[0]['figures']['auc']['value']:.2f}", "hardest": f"{first[-1]['figures']['auc']['value']:.2f}",
        "owners": owners, "allowed": f"{100 * wilson(0.0, owners)[1]:.0f}", "promised": f"{100 * max(CAUTIOUS_RISK, 1 / (owners + 1)):.1f} %",
        "strata": make_strata_table(inside, arguments.corpus, harvests.fitted),
    }


def read_text(path):
    return path.read_text(encoding="utf-8").strip() if path else ""


def recalibrate(arguments):
    manifest = json.loads((arguments.pack / MANIFEST_FILE).read_text(encoding="utf-8"))
    harvests = Harvests(arguments)
    fill_manifest(manifest, harvests, arguments.version)
    out, inside = arguments.out, harvests.inside
    if out.resolve() != arguments.pack.resolve():
        shutil.copytree(arguments.pack, out, dirs_exist_ok=True)
    (out / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    slope, intercept = harvests.fitted["line"]
    labels = ["artificial" if label else "human" for label in inside.labels]
    states = {tier: slope * scores + intercept for tier, scores in inside.scores.items()}
    write_score_table(out / "left-out-scores.tsv", labels, [row["source"] for row in inside.rows], states)
    write_card(out, manifest, fill_card(arguments, manifest, harvests))
    for title, found in harvests.tiers.items():
        for tier in found:
            print(title, tier["tier"], {name: f"{tier['figures'][name]['value']:.3f}" for name in SHOWN}, flush=True)
    if arguments.before:
        print(make_before_table(Scored([arguments.before]), inside))
    if arguments.before_outside:
        print(make_before_table(Scored([arguments.before_outside]), harvests.outside))
    print(harvests.fitted)


def count(scored):
    parts = []
    for label, name in ((False, "human"), (True, "artificial")):
        rows = scored.labels == label
        parts.append(f"{rows.sum()} {name} pictures of {len(set(scored.sources[rows]))} sources and {len(set(scored.owners[rows]))} owners")
    return " and ".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=Path, required=True, nargs="+", help="of the inside harvest, each by a network of the recipe that never saw its owners")
    parser.add_argument("--outside", type=Path, help="of the outside harvest by the network that ships, once a version")
    parser.add_argument("--before", type=Path, help="scores of the version before, of those of the inside pictures that it never saw")
    parser.add_argument("--before-outside", type=Path, help="the same of the outside harvest")
    parser.add_argument("--corpus", type=Path, required=True, help="manifest of the pictures: format, size and age of each")
    for name, text in TEXTS.items():
        parser.add_argument(f"--{name}", type=Path, help=text)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of the new pack")
    recalibrate(parser.parse_args())
