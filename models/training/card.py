"""Stage 8: writes model.json and CARD.md from what the appliance measured through packs of the folds, and publishes them.

FIGURES is the figures.json of `npm run evaluate -- --packs WORK/packs --tiers`: whole files, each through a pack
that has not seen its source. No figure of the card comes from anywhere else, but for the confounds.
"""

import argparse
import json
from pathlib import Path

import numpy

from corpus_card import describe_decision
from crops import CropCollection
from export import MODEL_FILE, PACKS_FOLDER
from goals import to_row
from manifest import MANIFEST_FILE, PACK_ID
from metrics import compare_auc, to_auc
from parity import PARITY_FILE
from publish import publish
from quantise import ROUNDING_FILE
from score_table import write_score_table
from tables import make_goal_table, to_table
from texture import is_refused
from tiers import CONFOUNDS, TIERS
from validate import SCORES_FILE
from weights import weigh
from whole import read_pictures

CARD_FILE = "CARD.md"
TEMPLATE = Path(__file__).parent / "card.md"
SCORES_TABLE = "left-out-scores.tsv"
FIGURE_DIGITS = 4
FIGURES = {
    "auc": "AUC", "tprAtFpr5": "found at 5 % false alarms", "ece": "calibration error (ECE)",
    "falseAlarmRateBalanced": "`balanced`: false alarms", "recallBalanced": "`balanced`: found",
    "falseAlarmRateCautious": "`cautious`: false alarms", "recallCautious": "`cautious`: found",
    "coverage": "decided by the assessment", "rightDecided": "right where decided", "flipRate": "decided otherwise than clean",
}
GOALS = {
    ("auc", "clean"): 0.86, ("auc", "web"): 0.83, ("auc", "hard"): 0.79,
    ("tprAtFpr5", "clean"): 0.55, ("tprAtFpr5", "web"): 0.45, ("tprAtFpr5", "hard"): 0.35,
    ("recallBalanced", "clean"): 0.60, ("recallCautious", "clean"): 0.25,
}
LIMITS = {"falseAlarmRateBalanced": 0.08, "falseAlarmRateCautious": 0.01, "ece": 0.06, "flipRate": 0.05}
LEAST = {"coverage": 0.5, "rightDecided": 0.85}
MANIFEST_FIGURES = (
    "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
)


def show(estimate, as_share):
    if estimate["value"] is None:
        return "–"
    numbers = [estimate[part] for part in ("value", "low", "high")]
    value, low, high = (f"{100 * number:.0f}" if as_share else f"{number:.3f}" for number in numbers)
    return f"{value} % ({low}–{high})" if as_share else f"{value} ({low}–{high})"


def make_figure_table(tiers):
    rows = []
    for name, title in FIGURES.items():
        as_share = name not in ("auc", "ece")
        rows.append([title, *(show(tier["figures"][name], as_share) for tier in tiers)])
    rows.append(["no answer", *(f"{tier['unanswered']} of {tier['files'] + tier['unanswered']}" for tier in tiers)])
    return to_table(["", *(tier["tier"] for tier in tiers)], rows)


def list_goals(tiers):
    rows = []
    for tier in tiers:
        name_of = tier["tier"]
        for name, title in FIGURES.items():
            found = tier["figures"][name]["value"]
            least = GOALS.get((name, name_of), LEAST.get(name))
            bound = LIMITS.get(name)
            if found is None or (least is None and bound is None):
                continue
            limit = (least, "least") if least is not None else (bound, "most")
            rows.append(to_row(f"{title}, {name_of}", found, *limit))
    return make_goal_table(rows)


def make_group_table(tiers, label):
    names = [group["group"] for group in tiers[0]["groups"] if group["label"] == label]
    by_tier = [{group["group"]: group for group in tier["groups"] if group["label"] == label} for tier in tiers]
    rows = []
    for name in names:
        first = by_tier[0][name]
        cells = [show(groups[name]["called"], True) if name in groups else "–" for groups in by_tier]
        rows.append([name, first["files"], first["sources"], *cells])
    return to_table(["", "pictures", "sources", *(tier["tier"] for tier in tiers)], rows)


def make_size_table(tiers):
    rows = []
    for tier in tiers:
        for size in tier["sizes"]:
            end = f"below {size['shortSideMax']}" if size["shortSideMax"] else "and more"
            count = f"{size['human']} + {size['artificial']}"
            rows.append([tier["tier"], f"{size['shortSideMin']} {end}", count, show(size["ece"], False)])
    return to_table(["tier", "short side, pixels", "human + artificial", "ECE"], rows)


def make_worst(tiers):
    worst = [source for source in tiers[0]["sourcesWorstFirst"] if source["files"] >= 2][:8]
    rows = [[s["label"], s["source"], s["files"], f"{100 * s['calledArtificial']:.0f} %", f"{100 * s['inconclusive']:.0f} %"] for s in worst]
    return to_table(["label", "source", "pictures", "called artificial", "inconclusive"], rows)


class Scores:
    """The left-out scores of every whole picture that no state of it makes the appliance refuse."""

    def __init__(self, work_folder, line):
        slope, intercept = line
        self.by_tier, self.rows = {}, {}
        refused = set()
        for name in ("whole", "confounds"):
            scores = numpy.load(work_folder / SCORES_FILE.format(name))
            for picture, score in zip(read_pictures(work_folder, name), scores):
                refused |= {picture.file} if is_refused(picture.texture) else set()
                self.rows[picture.file] = (picture.label, picture.source)
                self.by_tier.setdefault(picture.tier, {})[picture.file] = slope * score + intercept
        self.files = sorted(set(self.rows) - refused)

    def read(self, tier):
        return numpy.array([self.by_tier[tier][file] for file in self.files])

    def write(self, path):
        tiers = [tier.name for tier in (*TIERS, *CONFOUNDS)]
        labels, sources = zip(*(self.rows[file] for file in self.files))
        write_score_table(path, labels, sources, {tier: self.read(tier) for tier in tiers})

    def describe(self):
        """Returns (labels, weights, sources) of the pictures."""
        labels = numpy.array([self.rows[file][0] == "artificial" for file in self.files])
        sources = numpy.array(["/".join(self.rows[file]) for file in self.files])
        return labels, weigh(sources, labels), sources

    def measure(self):
        labels, weights, _ = self.describe()
        return to_auc(self.read("clean"), labels, weights)

    def compare(self):
        labels, weights, sources = self.describe()
        rows = []
        for confound in CONFOUNDS:
            change, (low, high) = compare_auc(self.read("clean"), self.read(confound.name), labels, weights, sources)
            rows.append([confound.description, f"{change:+.3f} ({low:+.3f} to {high:+.3f})"])
        return to_table(["made the same for all", "change of the AUC"], rows)


def to_manifest_kind(group):
    called = {name: round(group["called"][part], FIGURE_DIGITS) for name, part in (("called", "value"), ("calledLow", "low"), ("calledHigh", "high"))}
    return {"label": group["label"], "kind": group["group"], "images": group["files"], "sources": group["sources"], **called}


def to_manifest_figure(tier):
    figures = {name: round(tier["figures"][name]["value"], FIGURE_DIGITS) for name in MANIFEST_FIGURES}
    auc = tier["figures"]["auc"]
    value, low, high = (round(auc[part], FIGURE_DIGITS) for part in ("value", "low", "high"))
    head = {"tier": tier["tier"], "sources": tier["sources"], "images": tier["files"]}
    # Too few carry no sentence, and what they are joined to is no kind.
    kinds = [to_manifest_kind(group) for group in tier["groups"] if group["isLargeEnough"] and not group["joined"]]
    return {**head, "auc": value, "aucLow": low, "aucHigh": high, **figures, "kinds": kinds}


def write_card(work_folder, figures_file, destination):
    report = json.loads(figures_file.read_text(encoding="utf-8"))
    tiers = report["tiers"]
    pack = work_folder / PACKS_FOLDER / "all" / PACK_ID
    manifest = json.loads((pack / MANIFEST_FILE).read_text(encoding="utf-8"))
    manifest["figures"] = [to_manifest_figure(tier) for tier in tiers]
    calibration = manifest["calibration"]
    scores = Scores(work_folder, (calibration["slope"], calibration["intercept"]))
    scores.write(pack / SCORES_TABLE)
    data = report["data"]
    text = TEMPLATE.read_text(encoding="utf-8")
    filled = {
        "version": manifest["version"], "auc": f"{tiers[0]['figures']['auc']['value']:.2f}",
        "hardest": f"{tiers[-1]['figures']['auc']['value']:.2f}", "data": manifest["trainedOn"],
        "pixels": CropCollection(work_folder).sha256, "files": data["files"], "sources": data["sources"], "whole": data["sha256"],
        "figures": make_figure_table(tiers), "goals": list_goals(tiers), "sizes": make_size_table(tiers),
        "human": make_group_table(tiers, "human"), "artificial": make_group_table(tiers, "artificial"),
        "worst": make_worst(tiers), "confounds": scores.compare(), "table": f"{scores.measure():.3f}", "caution": f"{tiers[0]['figures']['falseAlarmRateCautious']['high']:.3f}",
        **describe_decision(manifest),
        "rounding": (work_folder / ROUNDING_FILE).read_text(encoding="utf-8"), "tolerance": manifest["golden"]["tolerance"],
    }
    for name, value in filled.items():
        text = text.replace(f"{{{{{name}}}}}", str(value))
    (pack / CARD_FILE).write_text(text, encoding="utf-8")
    (pack / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    if destination:
        publish(pack, destination / PACK_ID, (MODEL_FILE, CARD_FILE, SCORES_TABLE, PARITY_FILE, MANIFEST_FILE))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--figures", type=Path, required=True, help="figures.json of npm run evaluate")
    parser.add_argument("--models", type=Path, help="folder of packs, in which it is replaced")
    arguments = parser.parse_args()
    write_card(arguments.work, arguments.figures, arguments.models)
