"""Owns model.json of both packs, of what is shipped and of the packs of the folds."""

from clips import RATE
from export import MODEL_FILE
from figures import SHORT_BELOW_SECONDS
from packs import GOLDEN_TOLERANCES, LICENCES, ORIGINS, PACKS, TOGETHER
from score import SPEECH_SECONDS_MIN

MANIFEST_FILE = "model.json"
FIGURE_DIGITS = 4
MANIFEST_FIGURES = (
    "auc", "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece",
    "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
)


def to_figure(tier):
    rounded = {name: round(tier["figures"][name], FIGURE_DIGITS) for name in MANIFEST_FIGURES}
    low, high = (round(value, FIGURE_DIGITS) for value in tier["intervals"]["auc"])
    head = {"tier": tier["tier"], "sources": tier["sources"], "clips": tier["clips"]}
    return {**head, "auc": rounded.pop("auc"), "aucLow": low, "aucHigh": high, **rounded}


def describe_count(collection):
    counts = []
    for name, mask in (("human", ~collection.is_artificial), ("artificial", collection.is_artificial)):
        counts.append(f"{int(mask.sum()):,} {name} clips of {len(set(collection.sources[mask]))} sources")
    return " and ".join(counts)


def make_manifest(pack, versions, evaluations, golden, collection, figures=()):
    """`versions` of all packs: bounds of the fused score hold for exactly these. `figures` as the appliance measured them."""
    evaluation, together = evaluations[pack.key], evaluations[TOGETHER]
    calibration = evaluation["calibrations"][0]
    keys = [f"{other.id}@{versions[other.key]}" for other in PACKS.values()]
    return {
        "schema": 1, "id": pack.id, "version": versions[pack.key], "name": pack.name,
        "task": "speech-origin", "mediaKind": "audio", "axis": "generated",
        # WebGPU ran its hundreds of small operations slower than the CPU, and logarithms of spectra take rounding worst.
        **({"device": "cpu"} if pack.key == "statistics" else {}),
        "file": MODEL_FILE, "sha256": golden["sha256"],
        "input": {"name": "sound", "layout": "samples", "sampleRate": RATE},
        "view": {"type": "windows", "windowSamples": pack.window_samples, "hopSamples": pack.hop_samples,
                 "countMax": pack.window_count_max},
        "output": {"name": "logit", "type": "logit", "positive": "artificial", "aggregation": "mean"},
        "calibration": {"type": "platt", "slope": calibration["slope"],
                        "intercept": calibration["intercept"], "set": evaluation["set"],
                        "floor": calibration["floor"]},
        "decision": {**evaluation["bounds"], "weight": together["weights"][[*PACKS].index(pack.key)],
                     "together": {"packs": keys, **together["bounds"]},
                     "short": {"belowSpeechSeconds": SHORT_BELOW_SECONDS, **evaluation["shortBounds"],
                               "together": together["shortBounds"]}},
        "minimumSpeechSeconds": SPEECH_SECONDS_MIN, "licence": LICENCES[pack.key],
        "source": ORIGINS[pack.key], "trainedOn": describe_count(collection),
        "figures": [to_figure(tier) for tier in figures],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCES[pack.key], "expected": golden["expected"]},
    }
