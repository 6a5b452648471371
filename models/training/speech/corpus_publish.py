"""Stage 8, on the corpus: describes both packs that corpus_pack.py made: golden outputs, parity, model.json, scores, card.

`python3 corpus_publish.py --made DIR --node NODE --media DIR --encoder FILE --heard DIR --outside before.json after.json --models DIR`
"""

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path

import numpy

from corpus_text import make_card
from encoder_graph import make_features_graph, write_model
from figures import SHORT_BELOW_SECONDS, to_log_odds
from golden import make_golden_windows, run_graph, to_rounded
from heard_files import read_heard_files
from lines import CLIP_AT, LAYER_FEATURES
from packs import GOLDEN_TOLERANCES, LICENCES, ORIGINS, PACKS
from parity import make_windows
from parity_sound import conclude, read_flac
from scoring import weigh

sys.path.append(str(Path(__file__).parent.parent))
from metrics import to_auc  # noqa: E402
from score_table import write_score_table  # noqa: E402

FIGURE_DIGITS = 4
SPEECH_SECONDS_MIN = 1.0
MANIFEST_FIGURES = ("balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious")
TIERS = ("clean", "mp3-64", "telephone")


class OwnWords:
    """Training's own words on features: lines and networks in numpy, not by the graph that is shipped."""

    def __init__(self, path):
        stored = numpy.load(path)
        self.means, self.scales, self.deviations = stored["means"], stored["scales"], stored["deviations"]
        self.weights, self.biases = stored["lines-weights"], stored["lines-biases"]
        self.hidden, self.offsets, self.last, self.bias = (stored[f"network-{name}"] for name in ("hidden", "offsets", "last", "bias"))

    def score(self, features):
        rows = numpy.clip((features - self.means) * self.scales, -CLIP_AT, CLIP_AT)
        lines = (rows * self.weights).reshape(len(rows), len(self.biases), LAYER_FEATURES).sum(axis=2) + self.biases
        network = numpy.maximum(rows @ self.hidden + self.offsets, 0) @ self.last + self.bias
        return ((lines / self.deviations[:-1]).mean(axis=1) + network / self.deviations[-1]) / 2


def to_figure(tier):
    figures, intervals = tier["figures"], tier["intervals"]["auc"]
    head = {"tier": tier["tier"], "sources": tier["sources"], "clips": tier["clips"], "auc": figures["auc"], "aucLow": intervals[0], "aucHigh": intervals[1]}
    named = {**head, **{name: figures[name] for name in MANIFEST_FIGURES}}
    return {name: round(value, FIGURE_DIGITS) if isinstance(value, float) else value for name, value in named.items()}


def make_manifest(old, number, key, versions, chosen, golden):
    bounds, together = chosen["bounds"][number], chosen["bounds"][2]
    packs = [f"{pack.id}@{versions[other]}" for other, pack in PACKS.items()]
    calibration = chosen["calibrations"][number]
    short = {"belowSpeechSeconds": SHORT_BELOW_SECONDS, **chosen["shortBounds"][number], "together": chosen["shortBounds"][2]}
    return {
        **old, "version": versions[key], "sha256": golden["sha256"],
        "calibration": {"type": "platt", "slope": calibration["slope"], "intercept": calibration["intercept"], "set": chosen["set"], "floor": calibration["floor"]},
        "decision": {**bounds, "weight": chosen["weights"][number], "together": {"packs": packs, **together}, "short": short},
        "licence": LICENCES[key], "source": ORIGINS[key], "trainedOn": golden["trainedOn"] or old["trainedOn"],
        "figures": [to_figure(tier) for tier in chosen["measured"][key]],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCES[key], "expected": golden["expected"]},
    }


def make_parity(options, own, features_graph, chosen):
    """Returns {key: parity.json}: places stay, logits of the encoder and all that calibration makes of logits are new."""
    known = {key: json.loads((options.models / pack.id / "parity.json").read_text(encoding="utf-8")) for key, pack in PACKS.items()}
    window_samples = PACKS["encoder"].window_samples

    def tell(windows):
        return to_rounded(own.score(numpy.array(run_graph(options.node, features_graph, windows), dtype=numpy.float32).reshape(len(windows), -1)))

    described, windows = make_windows(window_samples)
    known["encoder"]["sound"] = {**described, "logits": tell(windows)}
    for number, row in enumerate(known["encoder"]["speech"]):
        samples = (read_flac(options.media / row["file"]) / 32_768).astype(numpy.float32)
        if hashlib.sha256(samples.tobytes()).hexdigest() != row["samplesSha256"]:
            raise SystemExit(f"{row['file']}: other samples than the version before")
        windows = numpy.stack([numpy.resize(samples[one["offset"] : one["offset"] + one["length"]], window_samples) for one in row["ranges"]])
        row["logits"] = tell(windows)
        odds = []
        for index, key in enumerate(PACKS):
            own_row = known[key]["speech"][number]
            log_odds = to_log_odds(numpy.array([[numpy.mean(own_row["logits"]), 0, 0]]), chosen["calibrations"][index])[0]
            own_row.update(conclude(log_odds))
            odds.append(log_odds)
        for key in PACKS:
            known[key]["speech"][number]["together"] = conclude(numpy.average(odds, weights=chosen["weights"]))
    return known


def write_scores(options, path, chosen):
    """Writes the fused left-out log-odds of files that were heard in every tier; returns their AUC as found."""
    stored = numpy.load(options.made / "left-out.npz")
    own = OwnWords(options.made / "corpus-fit.npz")
    heard = read_heard_files(options.heard, "oneband", SPEECH_SECONDS_MIN)
    found = {}
    for file, tier, value, label, source in zip(stored["files"], stored["tiers"], stored["fused"], stored["labels"], stored["sources"]):
        found.setdefault(file, {"label": label, "source": source.split("/", 1)[1]})[TIERS[tier]] = value
    # What the band changes is told by the shipped parts: by how much they move a file is added to its left-out score.
    moved = {}
    clean = {file: index for index, file in enumerate(options.inside.files) if options.inside.tiers[index] == 0}
    for index, file in enumerate(heard.files):
        if file not in clean:
            continue
        parts = []
        for which, row in ((options.inside, clean[file]), (heard, index)):
            logit = own.score(which.windows[which.owners == row]).mean()
            single = [to_log_odds(numpy.array([[value, 0, 0]]), calibration)[0] for value, calibration in zip((logit, which.statistics[row]), chosen["calibrations"])]
            parts.append(numpy.average(single, weights=chosen["weights"]))
        moved[file] = parts[1] - parts[0]
    rows = [(file, row) for file, row in found.items() if file in moved and all(tier in row for tier in TIERS)]
    columns = {tier: [row[tier] for _, row in rows] for tier in TIERS}
    columns["one-band"] = [row["clean"] + moved[file] for file, row in rows]
    labels = numpy.array([row["label"] for _, row in rows])
    sources = [row["source"] for _, row in rows]
    write_score_table(path, ["artificial" if label else "human" for label in labels], sources, columns)
    keys = numpy.array([f"{label}/{source}" for label, source in zip(labels, sources)])
    return to_auc(numpy.round(columns["clean"], 4), labels, weigh(keys, labels)), len(rows)


def publish(options):
    chosen = json.loads((options.made / "chosen.json").read_text(encoding="utf-8"))
    own = OwnWords(options.made / "corpus-fit.npz")
    options.inside = read_heard_files(options.heard, "inside", SPEECH_SECONDS_MIN)
    features_graph = options.made / "features.onnx"
    write_model(make_features_graph(options.encoder, PACKS["encoder"].window_samples), features_graph)
    parity = make_parity(options, own, features_graph, chosen)
    versions = {"encoder": options.encoder_version, "statistics": options.statistics_version}
    golden_windows = make_golden_windows(PACKS["encoder"].window_samples)
    features = numpy.array(run_graph(options.node, features_graph, golden_windows), dtype=numpy.float32).reshape(len(golden_windows), -1)
    table, count = write_scores(options, options.made / PACKS["encoder"].id / "left-out-scores.tsv", chosen)
    for number, (key, pack) in enumerate(PACKS.items()):
        folder, before = options.made / pack.id, options.models / pack.id
        old = json.loads((before / "model.json").read_text(encoding="utf-8"))
        golden = {
            "sha256": hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest(),
            "expected": to_rounded(own.score(features)) if key == "encoder" else old["golden"]["expected"],
            "trainedOn": chosen["trainedOn"] if key == "encoder" else None,
        }
        manifest = make_manifest(old, number, key, versions, chosen, golden)
        (folder / "parity.json").write_text(json.dumps(parity[key]) + "\n", encoding="utf-8")
        (folder / "model.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        outside = [json.loads(path.read_text(encoding="utf-8")) for path in options.outside or ()]
        (folder / "CARD.md").write_text(make_card(key, manifest, chosen, outside, table, count), encoding="utf-8")
        for licence in before.glob("LICENSE*"):
            shutil.copyfile(licence, folder / licence.name)
        print(key, versions[key], golden["expected"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--made", type=Path, required=True, help="what corpus_pack.py wrote")
    parser.add_argument("--node", default="node", help="Node.js 24, with the repository's packages")
    parser.add_argument("--media", type=Path, required=True, help="what test/media/parity-media.ts wrote")
    parser.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
    parser.add_argument("--heard", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True, help="folder of the packs of the version before")
    parser.add_argument("--outside", type=Path, nargs=2, help="figures.json of the version before and of this one, of the same files")
    parser.add_argument("--encoder-version", required=True)
    parser.add_argument("--statistics-version", required=True)
    publish(parser.parse_args())
