"""Stage 6: writes model.json and CARD.md from what the other stages measured, and publishes the pack."""

import argparse
import json
import os
import shutil
from collections import Counter
from pathlib import Path

from calibrate import CALIBRATION_FILE, COVERAGE_MIN, DECIDED_ACCURACY_TARGET
from crops import CropCollection
from evaluate import EVALUATION_FILE, read_kinds
from export import GOLDEN_FILE, MODEL_FILE, PACK_FOLDER
from network import ResidualNetwork
from placement import ALIGN_PX, PATCH_COUNT_MAX, PATCH_SIDE
from splits import CALIBRATION_FOLD, TEST_FOLD, TRAIN_FOLDS
from tiers import CROP_SIDE_MIN_PX

MANIFEST_FILE = "model.json"
CARD_FILE = "CARD.md"
DATA_NOTES_FILE = Path(__file__).parent / "data-notes.md"
PACK_ID = "assay-residual"
PACK_NAME = "Assay residual network"
MAP_COUNT_MAX = 256
GOLDEN_TOLERANCE = 0.001
FIGURE_DIGITS = 4
MANIFEST_FIGURES = (
    "auc", "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece",
    "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
)
FIGURE_TITLES = {
    "auc": "AUC",
    "balancedAccuracy": "balanced accuracy at p ≥ 0.5",
    "tprAtFpr5": "TPR at 5 % FPR",
    "tprAtFpr1": "TPR at 1 % FPR",
    "ece": "calibration error (ECE, 10 bins)",
    "falseAlarmRateBalanced": "false alarms at p ≥ 0.5",
    "falseAlarmRateCautious": "false alarms at the cautious threshold",
    "recallCautious": "recall at the cautious threshold",
    "coverage": "share outside the inconclusive band",
    "balancedAccuracyDecided": "balanced accuracy outside the band",
}


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def count_folds(collection, folds):
    crops = collection.in_folds(folds)
    return {
        label: (sum(crop.label == label for crop in crops),
                len({crop.source for crop in crops if crop.label == label}))
        for label in ("human", "artificial")
    }


def describe_count(counts):
    return " and ".join(f"{files:,} {label} pictures of {sources} sources"
                        for label, (files, sources) in counts.items())


def describe_largest_families(collection, count=3):
    """Names the artificial families with most pictures and the fold that each fell to."""
    artificial = [crop for crop in collection.crops if crop.is_artificial]
    sizes = Counter((crop.family, crop.fold) for crop in artificial)
    sources = Counter(family for family, _ in {(crop.family, crop.source) for crop in artificial})
    return ", ".join(
        f"{family} ({size} pictures of {sources[family]} sources, fold {fold})"
        for (family, fold), size in sizes.most_common(count)
    )


def to_figure(tier):
    rounded = {name: round(tier["figures"][name], FIGURE_DIGITS) for name in MANIFEST_FIGURES}
    low, high = (round(value, FIGURE_DIGITS) for value in tier["intervals"]["auc"])
    head = {"tier": tier["tier"], "sources": tier["sources"], "images": tier["images"]}
    return {**head, "auc": rounded.pop("auc"), "aucLow": low, "aucHigh": high, **rounded}


def make_manifest(version, calibration, evaluation, golden, collection):
    return {
        "schema": 1, "id": PACK_ID, "version": version, "name": PACK_NAME,
        "task": "image-origin", "mediaKind": "image", "axis": "generated",
        "file": MODEL_FILE, "sha256": golden["sha256"],
        "input": {"name": "pixels", "layout": "nchw", "colour": "rgb", "mean": [0, 0, 0], "std": [1, 1, 1]},
        "view": {"type": "patches", "size": PATCH_SIDE, "align": ALIGN_PX,
                 "countMax": PATCH_COUNT_MAX, "mapCountMax": MAP_COUNT_MAX},
        "output": {"name": "logit", "type": "logit", "positive": "artificial", "aggregation": "mean"},
        "calibration": {"type": "platt", "slope": calibration["slope"],
                        "intercept": calibration["intercept"], "set": calibration["set"]},
        "decision": {"cautiousThreshold": calibration["cautiousThreshold"],
                     "inconclusiveLow": calibration["inconclusiveLow"],
                     "inconclusiveHigh": calibration["inconclusiveHigh"], "weight": 1},
        "minimumShortSide": PATCH_SIDE, "licence": "Apache-2.0", "source": "trained by models/training",
        "trainedOn": describe_count(count_folds(collection, TRAIN_FOLDS)),
        "figures": [to_figure(tier) for tier in evaluation["tiers"]],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCE, "expected": golden["expected"]},
    }


def to_table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def percent(share):
    return f"{100 * share:.0f} %"


def make_figure_table(tiers):
    def cell(tier, name):
        low, high = tier["intervals"][name]
        return f"{tier['figures'][name]:.3f} ({low:.3f}–{high:.3f})"

    rows = [[title, *(cell(tier, name) for tier in tiers)] for name, title in FIGURE_TITLES.items()]
    rows.append(["AUC, JPEG originals only",
                 *(f"{tier['jpegOriginalsOnly']['auc']:.3f}" for tier in tiers)])
    rows.append(["pictures (human + artificial)",
                 *(f"{tier['human']} + {tier['artificial']}" for tier in tiers)])
    return to_table(["", *(tier["tier"] for tier in tiers)], rows)


def make_worst_table(tiers, key):
    rows = []
    for tier in tiers:
        for row in tier[key]:
            kind = f" ({row['kind']})" if row["kind"] else ""
            rows.append([tier["tier"], row["source"] + kind, row["images"],
                         percent(row["calledArtificial"]), percent(row["calledArtificialCautious"])])
    return to_table(["tier", "source", "pictures", "called artificial at p ≥ 0.5", "cautious"], rows)


def make_kind_table(tiers):
    by_tier = [{row["kind"]: row for row in tier["byKind"]} for tier in tiers]
    rows = [
        [kind, first["images"], first["sources"],
         *(percent(rows[kind]["falseAlarmRateBalanced"]) for rows in by_tier),
         *(percent(rows[kind]["falseAlarmRateCautious"]) for rows in by_tier)]
        for kind, first in by_tier[0].items()
    ]
    names = [tier["tier"] for tier in tiers]
    header = ["kind of human picture", "pictures", "sources"]
    return to_table(header + [f"{name}, p ≥ 0.5" for name in names] + [f"{name}, cautious" for name in names], rows)


def make_source_table(clean, web):
    web_rows = {(row["label"], row["source"]): row for row in web["bySource"]}
    rows = [
        [row["label"], row["source"], row["images"], percent(row["calledArtificial"]),
         percent(web_rows[row["label"], row["source"]]["calledArtificial"])]
        for row in clean["bySource"]
    ]
    return to_table(["label", "source", "pictures", "called artificial, clean", "web"], rows)


def make_failures(tiers):
    """Returns the plain list of what fails, read off the figures."""
    clean, web, hard, one_format = tiers
    generators = ", ".join(row["source"] for row in clean["worstGenerators"])
    sources = ", ".join(row["source"] for row in clean["worstHumanSources"])
    change = one_format["figures"]["auc"] - clean["figures"]["auc"]
    jpeg = clean["jpegOriginalsOnly"]["auc"] - clean["figures"]["auc"]
    return "\n".join([
        f"- At p ≥ 0.5 it misses {percent(1 - to_recall(clean))} of artificial pictures and accuses "
        f"{percent(clean['figures']['falseAlarmRateBalanced'])} of human ones; after web handling "
        f"{percent(1 - to_recall(web))} and {percent(web['figures']['falseAlarmRateBalanced'])}, "
        f"in the hard tier {percent(1 - to_recall(hard))} and {percent(hard['figures']['falseAlarmRateBalanced'])}.",
        f"- The cautious threshold was set for at most 1 % false alarms on the calibration sources. On the test "
        f"sources it gave {100 * clean['figures']['falseAlarmRateCautious']:.1f} % clean, "
        f"{100 * web['figures']['falseAlarmRateCautious']:.1f} % web and "
        f"{100 * hard['figures']['falseAlarmRateCautious']:.1f} % hard, and finds only "
        f"{percent(clean['figures']['recallCautious'])}, {percent(web['figures']['recallCautious'])} and "
        f"{percent(hard['figures']['recallCautious'])} of artificial pictures.",
        f"- Worst told generators: {generators}. Human sources accused most: {sources}.",
        f"- File format: counting JPEG originals only changes the clean AUC by {jpeg:+.3f}; re-encoding every "
        f"picture as JPEG 90 changes it by {change:+.3f}. The first mixes two causes that these data cannot part: "
        "another choice of generators, and traces of a picture's history (being JPEG all along, or not) that "
        "survive re-encoding. For a JPEG from an unknown generator expect the lower figure.",
        "- Where an interval is 0.000–0.000 no false alarm was seen: drawing the sources again cannot show what is "
        f"not among them. With {count_sources(clean, 'human')} human sources, up to "
        f"{percent(3 / count_sources(clean, 'human'))} of sources could behave otherwise unseen (rule of three).",
        f"- Kinds of human picture with no source in the test fold, so not measured: {list_missing_kinds(clean)}.",
        "- Generators newer than the collection, edited or in-painted pictures, photographs of screens and prints, "
        "and strong blur, upscaling or beauty filters were not measured. Nothing here defends against someone "
        "who tries to deceive it.",
    ])


def count_sources(tier, label):
    return sum(row["label"] == label for row in tier["bySource"])


def list_missing_kinds(tier):
    measured = {row["kind"] for row in tier["byKind"]}
    return ", ".join(kind for _, kind in read_kinds() if kind not in measured) or "none"


def to_recall(tier):
    """Recall at p >= 0.5, from the balanced accuracy and the false alarms."""
    figures = tier["figures"]
    return 2 * figures["balancedAccuracy"] - 1 + figures["falseAlarmRateBalanced"]


def make_card(version, calibration, evaluation, collection, note):
    tiers = evaluation["tiers"]
    clean, web, hard = tiers[:3]
    trained = evaluation["trained"]
    parameter_count = sum(p.numel() for p in ResidualNetwork().parameters())
    measured = tiers[:3]
    return f"""# {PACK_NAME} {version}

Tells pictures of generators from human-made ones by their pixel residuals. **It is weak evidence**: on sources it never saw its AUC is {clean['figures']['auc']:.2f} clean and {web['figures']['auc']:.2f} after web handling. Its verdict alone must not decide anything about a person; it is made to be one voice among several, and to say "inconclusive".

## What it is
A residual network of {parameter_count:,} weights: {ResidualNetwork().stem.weight.shape[0]} zero-sum 5×5 filters (initialised with classic residual filters on luma and chroma), tanh, four stages that each halve the resolution, a map of logits, mean. It looks at up to {PATCH_COUNT_MAX} patches of {PATCH_SIDE}×{PATCH_SIDE} at native resolution, on the 8-pixel grid; a picture's score is the mean of its patch logits. Pictures are never scaled.

## Data
- Trained on folds {', '.join(map(str, TRAIN_FOLDS))}: {describe_count(count_folds(collection, TRAIN_FOLDS))}.
- Calibrated on fold {CALIBRATION_FOLD}: {describe_count(count_folds(collection, (CALIBRATION_FOLD,)))}.
- Measured on fold {TEST_FOLD}: {describe_count(count_folds(collection, (TEST_FOLD,)))}. No weight, threshold or calibration was chosen by them.{note}
- The split is by source (a generator in one repository, a photographer, a corpus). Sources that share a pipeline, a site or pictures (`models/training/families.tsv`) are in one fold. The largest artificial families: {describe_largest_families(collection)}.
{DATA_NOTES_FILE.read_text(encoding="utf-8").strip()}
- SHA-256 of the decoded pixels: `{collection.sha256}`.

## Recipe
{trained['step']:,} steps, {trained['crop_count']:,} patches, {trained['elapsed_s'] / 60:.0f} minutes on one processor core. Patches of 128, 96 and 64 pixels; labels 50/50, each source by the square root of its size; scaling 0.45–1.2 with five kernels, colour curves, JPEG 40–95 (4:4:4, 4:2:2, 4:2:0) and WebP, a fifth of them twice, with the same rates for both labels; pictures that were never JPEG are given a JPEG history 7 times out of 10, so that the format tells less. Binary cross-entropy with label smoothing, a second task that names the source (dropped here), AdamW, cosine schedule, averaged weights. These are the weights that were measured; nothing was retrained afterwards.

## Figures on sources left out
With 95 % intervals from 1,000 draws of sources. Each picture weighs one over the square root of its source's size, both labels weigh the same.

{make_figure_table(tiers)}

Tiers: {'; '.join(f"**{tier['tier']}**: {tier['description']}" for tier in tiers)}.

How a crop stands for a picture: it is scaled by the factor that brings the whole picture's long side to the limit, but never below {CROP_SIDE_MIN_PX} pixels; that held the factor up for {percent(web['scaleHeldShare'])} of the pictures in web and {percent(hard['scaleHeldShare'])} in hard, which are therefore a little easier than the real thing. A scaled crop that is smaller than a patch ({percent(web['belowPatchShare'])} in web, {percent(hard['belowPatchShare'])} in hard) is scored as one view of its own size. A whole picture gives up to {PATCH_COUNT_MAX} patches where a crop gives at most 4; whole pictures were not measured.

## Calibration and thresholds
One Platt calibration over the three tiers: log-odds = {calibration['slope']:.3f} × mean logit {calibration['intercept']:+.3f}, at even prior odds. Cautious threshold: p ≥ {calibration['cautiousThreshold']:.3f} (at most 1 % false alarms on the calibration sources in each tier). Inconclusive: {calibration['inconclusiveLow']:.2f} ≤ p ≤ {calibration['inconclusiveHigh']:.2f}, the narrowest band about a half outside of which the balanced accuracy on the calibration sources reaches {percent(DECIDED_ACCURACY_TARGET)}, or the widest that leaves {percent(COVERAGE_MIN)} of the pictures outside where that is not reached.

## What fails
{make_failures(tiers)}

### Worst generators (at least 5 pictures)
{make_worst_table(measured, 'worstGenerators')}

### Worst human sources (at least 5 pictures)
{make_worst_table(measured, 'worstHumanSources')}

### False alarms by kind of human picture
{make_kind_table(measured)}

### Every left-out source
{make_source_table(clean, web)}

## Licence
Apache-2.0. Made by `models/training` of this repository.
"""


def publish(pack, destination):
    """Replaces the three files by renames, the manifest last: its SHA-256 tells which model it describes."""
    destination.mkdir(parents=True, exist_ok=True)
    names = (MODEL_FILE, CARD_FILE, MANIFEST_FILE)
    for name in names:
        shutil.copyfile(pack / name, destination / f".{name}.tmp")
    for name in names:
        os.replace(destination / f".{name}.tmp", destination / name)


def write_card(work_folder, version, destination, note):
    calibration = read_json(work_folder / CALIBRATION_FILE)
    evaluation = read_json(work_folder / EVALUATION_FILE)
    golden = read_json(work_folder / GOLDEN_FILE)
    if calibration["trained"] != evaluation["trained"]:
        raise SystemExit("calibration and figures are of different checkpoints: run evaluate.py again")
    collection = CropCollection(work_folder)
    pack = work_folder / PACK_FOLDER
    manifest = make_manifest(version, calibration, evaluation, golden, collection)
    (pack / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    card = make_card(version, calibration, evaluation, collection, f" {note}" if note else "")
    (pack / CARD_FILE).write_text(card, encoding="utf-8")
    if destination:
        publish(pack, destination)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--version", default="1.0.0")
    parser.add_argument("--note", default="", help="a sentence for the card about how the test fold was used")
    parser.add_argument("--pack", type=Path, help="folder of the pack that is replaced")
    arguments = parser.parse_args()
    write_card(arguments.work, arguments.version, arguments.pack, arguments.note)
