"""Stage 4: makes the model, writes model.json and CARD.md from what was measured, and publishes the pack."""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from publish import publish  # noqa: E402
from tables import FIGURE_TITLES, percent, to_table  # noqa: E402

from evaluate import BOUND_NAMES, EVALUATION_FILE, FACE_SIDE_MIN_PX, FLOOR, SHIPPED_FILE  # noqa: E402
from extract import TAPS  # noqa: E402
from faces import FaceCollection  # noqa: E402
from head import PENALTY  # noqa: E402
from training import LEARNT  # noqa: E402
from views import MARGIN, SIDE  # noqa: E402

SCRIPT = Path(__file__).parents[1] / "originals" / "convert.py"
HEAD_FILE = "head.json"
TEMPLATE = Path(__file__).parent / "card.md"
EXPORT_FOLDER = "onnx"
MANIFEST_FILE, CARD_FILE = "model.json", "CARD.md"
PACK_ID = "assay-faces"
PACK_FOLDER = "pack"
GOLDEN_TOLERANCE = 0.005
FIGURE_DIGITS = 4
WEIGHT = 0.25
"""A fifth of the say, where all detectors of whole pictures answer too: it is measured on the swaps of one program, and on few."""
MANIFEST_FIGURES = (
    "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece",
    "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
)
RULE_OF_THREE = 3


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def describe_faces(faces):
    parts = []
    for label, word in (("human", "human faces"), ("artificial", "fakes made by others")):
        chosen = [face for face in faces if face.label == label]
        parts.append(f"{len(chosen)} {word} of {len({face.source for face in chosen})} sources")
    return ", ".join(parts)


def to_figure(name, tier):
    low, high = tier["intervals"]["auc"]
    return {
        "tier": name, "sources": tier["humanSources"] + tier["artificialSources"], "faces": tier["faces"],
        "auc": round(tier["figures"]["auc"], FIGURE_DIGITS),
        "aucLow": round(low, FIGURE_DIGITS), "aucHigh": round(high, FIGURE_DIGITS),
        **{key: round(tier["figures"][key], FIGURE_DIGITS) for key in MANIFEST_FIGURES},
    }


def make_manifest(version, collection, shipped, evaluation, exported):
    return {
        "schema": 1, "id": PACK_ID, "version": version, "name": "Assay faces",
        "task": "face-origin", "mediaKind": "image", "axis": "swapped",
        "file": "model.onnx", "sha256": exported["sha256"],
        "input": {"name": "pixels", "layout": "nchw", "colour": "rgb", "mean": [0, 0, 0],
                  "std": [1, 1, 1]},
        "view": {"type": "face", "size": SIDE, "margin": MARGIN},
        "output": {"name": "logit", "type": "logit", "positive": "artificial", "aggregation": "mean"},
        "calibration": {"type": "platt", "slope": shipped["slope"], "intercept": shipped["intercept"],
                        "floor": FLOOR, "set": f"folds-{collection.sha256[:12]}"},
        "decision": {**{name: shipped[name] for name in BOUND_NAMES}, "weight": WEIGHT},
        "minimumFaceSide": FACE_SIDE_MIN_PX,
        "licence": "MIT (layers: package nsfwjs), Apache-2.0 (head)",
        "source": "layers: Inception v3 as in the npm package nsfwjs; head: models/training/faces",
        "trainedOn": f"head: {describe_faces(collection.faces)}; layers: see the package's credits, not trained here",
        "figures": [to_figure(name, tier) for name, tier in evaluation["tiers"].items()],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCE, "expected": exported["expected"]},
    }


def with_interval(entry):
    low, high = entry["interval"]
    return f"{entry['auc']:.3f} ({low:.3f}–{high:.3f})"


def make_figure_table(tiers):
    def cell(tier, name):
        low, high = tier["intervals"][name]
        return f"{tier['figures'][name]:.3f} ({low:.3f}–{high:.3f})"

    rows = [[title, *(cell(tier, name) for tier in tiers.values())] for name, title in FIGURE_TITLES.items()]
    rows.append(["faces (human + fake)", *(f"{tier['human']} + {tier['artificial']}" for tier in tiers.values())])
    rows.append(["sources (human + fake)",
                 *(f"{tier['humanSources']} + {tier['artificialSources']}" for tier in tiers.values())])
    return to_table(["", *tiers], rows)


def make_pair_table(pairs):
    rows = [
        ["AUC", *(with_interval(entry) for entry in pairs.values())],
        ["pairs whose swap scores higher", *(f"{percent(entry['won'])} of {entry['pairs']}" for entry in pairs.values())],
        ["calibration error (ECE)", *(f"{entry['ece']:.3f}" for entry in pairs.values())],
        ["Brier score", *(f"{entry['brier']:.3f}" for entry in pairs.values())],
    ]
    return to_table(["", *pairs], rows)


def make_kind_table(kinds):
    rows = [[name, f"{entry['faces']} of {entry['sources']}", *(with_interval(kinds[tier][name]) for tier in kinds)]
            for name, entry in kinds["clean"].items()]
    return to_table(["kind of fake", "faces of sources", *(f"AUC {tier}" for tier in kinds)], rows)


def make_confound_table(confounds):
    def change(entry):
        low, high = entry["interval"]
        return f"{entry['change']:+.3f} ({low:+.3f} to {high:+.3f})"

    return to_table(["made the same for all", "AUC", "change"],
                    [[name, f"{entry['auc']:.3f}", change(entry)] for name, entry in confounds.items()])


def make_card(manifest, evaluation, shipped):
    clean, pairs = evaluation["tiers"]["clean"], evaluation["pairs"]
    figures = clean["figures"]
    return TEMPLATE.read_text(encoding="utf-8").format(
        version=manifest["version"], pairs_clean=with_interval(pairs["clean"]), pair_count=pairs["clean"]["pairs"],
        persons=pairs["clean"]["persons"], won=percent(pairs["clean"]["won"]),
        auc=f"{figures['auc']:.2f}", low=f"{clean['intervals']['auc'][0]:.2f}",
        high=f"{clean['intervals']['auc'][1]:.2f}", weights=len(shipped["head"]["weights"]), layers=" and ".join(f"`{tap}`" for tap in TAPS), side=SIDE, margin=MARGIN,
        minimum=FACE_SIDE_MIN_PX, data=manifest["trainedOn"], learnt=", ".join(LEARNT), penalty=PENALTY,
        pairs=make_pair_table(pairs), figures=make_figure_table(evaluation["tiers"]),
        kinds=make_kind_table(evaluation["kinds"]), confounds=make_confound_table(evaluation["confounds"]),
        slope=f"{shipped['slope']:.3f}",
        intercept=f"{shipped['intercept']:+.3f}", threshold=f"{shipped['cautiousThreshold']:.3f}",
        band=f"{shipped['inconclusiveLow']} ≤ p ≤ {shipped['inconclusiveHigh']}", weight=WEIGHT, floor=FLOOR,
        covered=percent(figures["coverage"]), false_alarms=percent(figures["falseAlarmRateBalanced"]),
        cautious=f"{100 * figures['falseAlarmRateCautious']:.1f} %", recall=percent(figures["recallCautious"]),
        human=clean["human"], human_sources=clean["humanSources"],
        sizes=f"{evaluation['sizes']['all']:.2f}", size_pairs=f"{evaluation['sizes']['pairs']:.2f}",
        lowered=f"{shipped['lowered']:.2f}", most=percent(RULE_OF_THREE / clean["humanSources"]),
        kinds_missed=", ".join(describe_missed(evaluation["kinds"]["clean"])) or "none",
        flips="; ".join(f"{tier}: {percent(entry['flips'])} of the {percent(entry['decidedInBoth'])} decided in both"
                        for tier, entry in evaluation["flips"].items()),
    )


def describe_missed(kinds):
    """Kinds that are told no better than by chance."""
    return [f"{name} (AUC {entry['auc']:.2f})" for name, entry in kinds.items() if entry["auc"] < 0.6]


def write(arguments):
    work, folder = arguments.work, arguments.work / PACK_FOLDER
    folder.mkdir(exist_ok=True)
    described = {"side": SIDE, "head": read_json(work / SHIPPED_FILE)["head"]}
    (work / HEAD_FILE).write_text(json.dumps(described), encoding="utf-8")
    export = work / EXPORT_FOLDER
    order = ["--originals", work / "unpacked", "--head", work / HEAD_FILE, "--out", export]
    subprocess.run([arguments.converter, SCRIPT, *order], check=True)
    shutil.copyfile(export / f"{PACK_ID}.onnx", folder / "model.onnx")
    collection = FaceCollection(work)
    evaluation, shipped = read_json(work / EVALUATION_FILE), read_json(work / SHIPPED_FILE)
    manifest = make_manifest(arguments.version, collection, shipped, evaluation, read_json(export / f"{PACK_ID}.json"))
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / CARD_FILE).write_text(make_card(manifest, evaluation, shipped), encoding="utf-8")
    if arguments.into:
        publish(folder, arguments.into, ("model.onnx", CARD_FILE, MANIFEST_FILE))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--into", type=Path, help="replace this pack, as ../../assay-faces")
    parser.add_argument("--converter", default="python3", help="Python with TensorFlow and tf2onnx (originals/README.md)")
    write(parser.parse_args())
