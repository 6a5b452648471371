"""Owns model.json of the packs, from what the other stages measured."""

from export import COUNTS_MAX, MODEL_FILE, PACK_OF_DETECTOR
from outcome import DETECTORS
from placement import ALIGN_PX, PATCH_SIDE
from texture import REFUSAL

PACK_NAMES = {
    "residual": "Assay residual network", "statistics": "Assay patch statistics",
    "textures": "Assay textures", "inception": "Assay pretrained network",
}
MAP_COUNTS_MAX = {"residual": 256, "statistics": 256, "textures": 256, "inception": 64}
"""Patches of a heatmap. The pack with most draws it: the first, which is the quickest."""
GOLDEN_TOLERANCES = {"residual": 0.001, "statistics": 0.005, "textures": 0.001, "inception": 0.001}
"""Logarithms and rounded residuals turn the last bits of a sum into more of a logit than convolutions do."""
LICENCES = {
    "textures": "MIT (layers: package nsfwjs), Apache-2.0 (head)",
    "inception": "Apache-2.0, from weights of the package nsfwjs (MIT)",
}
SOURCES = {
    "textures": "layers: Inception v3 as in the npm package nsfwjs; head: models/training",
    "inception": "trained by models/training, from an Inception v3 of the npm package nsfwjs",
}
FIGURE_DIGITS = 4
MANIFEST_FIGURES = (
    "auc", "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece",
    "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
)


def to_figure(tier, measured, name):
    rounded = {key: round(measured["figures"][key], FIGURE_DIGITS) for key in MANIFEST_FIGURES}
    low, high = (round(value, FIGURE_DIGITS) for value in measured["intervals"]["auc"])
    head = {"tier": name, "sources": tier["sources"], "images": tier["images"]}
    return {**head, "auc": rounded.pop("auc"), "aucLow": low, "aucHigh": high, **rounded}


def make_figures(detector, tiers):
    """The detector alone in each tier, then all fused."""
    alone = [to_figure(tier, tier["detectors"][detector], tier["tier"]) for tier in tiers]
    fused = [to_figure(tier, tier["fused"], f"{tier['tier']}, fused") for tier in tiers]
    return [*alone, *fused]


def make_manifest(detector, versions, calibration, evaluation, golden, trained_on):
    """`versions` of all detectors: bounds of the fused score hold for exactly these."""
    version = versions[detector]
    keys = [f"{PACK_OF_DETECTOR[name]}@{versions[name]}" for name in DETECTORS]
    column = DETECTORS.index(detector)
    slope, intercept = calibration["lines"][column]
    return {
        "schema": 1, "id": PACK_OF_DETECTOR[detector], "version": version, "name": PACK_NAMES[detector],
        "task": "image-origin", "mediaKind": "image", "axis": "generated",
        "file": golden.get("file", MODEL_FILE), "sha256": golden["sha256"],
        "input": {"name": "pixels", "layout": "nchw", "colour": "rgb", "mean": [0, 0, 0], "std": [1, 1, 1]},
        "view": {"type": "patches", "size": PATCH_SIDE, "align": ALIGN_PX,
                 "countMax": COUNTS_MAX[detector], "mapCountMax": MAP_COUNTS_MAX[detector]},
        "output": {"name": "logit", "type": "logit", "positive": "artificial", "aggregation": "mean"},
        "calibration": {"type": "platt", "slope": slope, "intercept": intercept, "set": calibration["set"]},
        "decision": {**calibration["alone"][column], "weight": calibration["weights"][column],
                     "together": {"packs": keys, **calibration["together"]}},
        "refusal": REFUSAL, "minimumShortSide": PATCH_SIDE, "licence": LICENCES.get(detector, "Apache-2.0"), "source": SOURCES.get(detector, "trained by models/training"),
        "trainedOn": trained_on,
        "figures": make_figures(detector, evaluation["tiers"]),
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCES[detector], "expected": golden["expected"]},
    }
