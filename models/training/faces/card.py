"""Stage 7: writes model.json and CARD.md from what the other stages measured, and publishes the pack."""

import argparse
import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parents[1]))

from tables import FIGURE_TITLES, percent, to_table  # noqa: E402

from evaluate import CALIBRATION_FILE, EVALUATION_FILE, FACE_SIDE_MIN_PX  # noqa: E402
from export import GOLDEN_FILE, MODEL_FILE, PACK_FOLDER  # noqa: E402
from extract import VIEW_INDEX_FILE  # noqa: E402
from face_network import FaceNetwork  # noqa: E402
from faces import FaceCollection  # noqa: E402
from maps import BASE_FILE  # noqa: E402
from train import BATCH, GROUP_SHARES, SHIPPED_ROUND, to_round_file  # noqa: E402
from views import MARGIN, SIDE  # noqa: E402

MANIFEST_FILE = "model.json"
CARD_FILE = "CARD.md"
PACK_ID = "assay-faces"
GOLDEN_TOLERANCE = 0.001
FIGURE_DIGITS = 4
WEIGHT = 0.5
"""That of each detector of whole pictures: its own errors are no rarer than theirs."""
MANIFEST_FIGURES = (
    "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece",
    "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
)
RULE_OF_THREE = 3


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def describe_faces(faces):
    parts = Counter((face.set, face.label) for face in faces)
    sources = {key: len({f.source for f in faces if (f.set, f.label) == key}) for key in parts}

    def of(key):
        return f"{parts[key]} of {sources[key]} sources"

    return (
        f"human faces: {of(('portraits', 'human'))} from portraits, {of(('pictures', 'human'))} from the image models' "
        f"pictures; fakes made by others: {of(('portraits', 'artificial'))} from portraits, "
        f"{of(('pictures', 'artificial'))} generated ones from the image models' pictures"
    )


def to_figure(name, tier):
    low, high = tier["intervals"]["auc"]
    return {
        "tier": name, "sources": tier["humanSources"] + tier["artificialSources"], "faces": tier["faces"],
        "auc": round(tier["figures"]["auc"], FIGURE_DIGITS),
        "aucLow": round(low, FIGURE_DIGITS), "aucHigh": round(high, FIGURE_DIGITS),
        **{key: round(tier["figures"][key], FIGURE_DIGITS) for key in MANIFEST_FIGURES},
    }


def make_manifest(version, collection, calibration, evaluation, golden):
    bounds = {name: calibration[name] for name in ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")}
    return {
        "schema": 1, "id": PACK_ID, "version": version, "name": "Assay face network",
        "task": "face-origin", "mediaKind": "image", "axis": "swapped",
        "file": MODEL_FILE, "sha256": golden["sha256"],
        "input": {"name": "pixels", "layout": "nchw", "colour": "rgb", "mean": [0, 0, 0], "std": [1, 1, 1]},
        "view": {"type": "face", "size": SIDE, "margin": MARGIN},
        "output": {"name": "logit", "type": "logit", "positive": "artificial", "aggregation": "mean"},
        "calibration": {"type": "platt", "slope": calibration["slope"], "intercept": calibration["intercept"],
                        "set": f"folds-{collection.sha256[:12]}"},
        "decision": {**bounds, "weight": WEIGHT},
        "minimumFaceSide": FACE_SIDE_MIN_PX, "licence": "Apache-2.0", "source": "trained by models/training/faces",
        "trainedOn": describe_faces(collection.faces),
        "figures": [to_figure(name, tier) for name, tier in evaluation["tiers"].items()],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCE, "expected": golden["expected"]},
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


def make_kind_table(kinds):
    rows = [[name, f"{entry['faces']} of {entry['sources']}", *(with_interval(kinds[tier][name]) for tier in kinds)]
            for name, entry in kinds["clean"].items()]
    return to_table(["kind of fake", "faces of sources", *(f"AUC {tier}" for tier in kinds)], rows)


def make_confound_table(confounds):
    def change(entry):
        if "change" not in entry:
            return "–"
        low, high = entry["interval"]
        return f"{entry['change']:+.3f} ({low:+.3f} to {high:+.3f})"

    return to_table(["made the same for all", "AUC", "change"],
                    [[name, f"{entry['auc']:.3f}", change(entry)] for name, entry in confounds.items()])


def make_source_table(rows):
    return to_table(
        ["source", "kind", "faces", "called artificial at p ≥ 0.5", "cautious", "mean p"],
        [[row["source"], row["kind"], row["faces"], percent(row["called"]), percent(row["cautious"]),
          f"{row['mean']:.2f}"] for row in rows],
    )


def make_card(manifest, evaluation, calibration, work):
    clean, hard = evaluation["tiers"]["clean"], evaluation["tiers"]["hard"]
    low, high = clean["intervals"]["auc"]
    base = torch.load(work / BASE_FILE, map_location="cpu")["about"]
    trained = torch.load(work / to_round_file(SHIPPED_ROUND), map_location="cpu")
    views = read_json(work / VIEW_INDEX_FILE)["views"]
    forged = Counter(kind for _, _, kind in views if kind)
    weights = sum(parameter.numel() for parameter in FaceNetwork().parameters())
    template = (Path(__file__).parent / "card.md").read_text(encoding="utf-8")
    return template.format(
        version=manifest["version"], auc=f"{clean['figures']['auc']:.2f}", low=f"{low:.2f}", high=f"{high:.2f}",
        goal="met" if clean["figures"]["auc"] >= 0.8 else "not met", auc_hard=f"{hard['figures']['auc']:.2f}",
        weights=f"{weights:,}", side=SIDE, margin=MARGIN, minimum=FACE_SIDE_MIN_PX, data=manifest["trainedOn"],
        base_crops=f"{base['crop_count']:,}", base_folds=", ".join(map(str, base["folds"])),
        steps=f"{trained['step']:,}", batch=BATCH, minutes=f"{trained['elapsed_s'] / 60:.0f}",
        views=f"{len(views):,}", forged=", ".join(f"{count:,} {kind}" for kind, count in forged.most_common()),
        shares=", ".join(f"{percent(share)} {name}" for name, share in GROUP_SHARES.items()),
        figures=make_figure_table(evaluation["tiers"]), kinds=make_kind_table(evaluation["kinds"]),
        confounds=make_confound_table(evaluation["confounds"]), sources=make_source_table(evaluation["bySource"]),
        folds=", ".join(f"{fold}: {entry['auc']:.2f}" for fold, entry in evaluation["aucByFold"].items()),
        slope=f"{calibration['slope']:.3f}", intercept=f"{calibration['intercept']:+.3f}",
        threshold=f"{calibration['cautiousThreshold']:.3f}",
        band=f"{calibration['inconclusiveLow']} ≤ p ≤ {calibration['inconclusiveHigh']}", weight=WEIGHT,
        human_sources=clean["humanSources"], human=clean["human"],
        most=percent(RULE_OF_THREE / clean["humanSources"]),
        flips="; ".join(f"{tier}: {percent(entry['flips'])} of the {percent(entry['decidedInBoth'])} decided in both"
                        for tier, entry in evaluation["flips"].items()),
    )


def publish(folder, into):
    """Replaces a pack by renames: a daemon that reads it sees the old one or the new one."""
    fresh, old = into.with_name(into.name + ".new"), into.with_name(into.name + ".old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir()
    for name in (MANIFEST_FILE, MODEL_FILE, CARD_FILE):
        shutil.copyfile(folder / name, fresh / name)
    if into.exists():
        os.replace(into, old)
    os.replace(fresh, into)
    shutil.rmtree(old, ignore_errors=True)


def write(arguments):
    work, folder = arguments.work, arguments.work / PACK_FOLDER
    collection = FaceCollection(work)
    evaluation, calibration = read_json(work / EVALUATION_FILE), read_json(work / CALIBRATION_FILE)
    manifest = make_manifest(arguments.version, collection, calibration, evaluation, read_json(folder / GOLDEN_FILE))
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / CARD_FILE).write_text(make_card(manifest, evaluation, calibration, work), encoding="utf-8")
    if arguments.into:
        publish(folder, arguments.into)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--into", type=Path, help="replace this pack, as ../../assay-faces")
    write(parser.parse_args())
