"""Describes the pack of the trained encoder: graph, golden outputs, parity, model.json, left-out scores, card.

`python3 publish.py --state FILE --chosen FILE --left-out FILE FILE FILE --one-band DIR … --version V --out DIR` writes OUT whole, from the pack
of the version before in MODELS: its layout and the places of its parity windows stay. Nothing is fitted here.
"""

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path

import numpy
import torch

from calibration import to_log_odds
from card import make_card
from encoder_figures import read_left_out
from encoder_graft import graft, make_speech, read_states, round_weights
from encoder_graph import write_model
from encoder_network import load_encoder
from golden import make_golden_windows, run_graph, to_rounded
from operating_points import NARROW_BELOW_DB, SHORT_BELOW_SECONDS
from parity import conclude, make_windows, read_flac
from recorded import SAMPLES, SCORED_TIERS, TIERS, Recorded, read_known

sys.path.append(str(Path(__file__).parent.parent))
from metrics import to_auc  # noqa: E402
from score_table import write_score_table  # noqa: E402
from weights import weigh  # noqa: E402

FIGURE_DIGITS, LOG_ODDS_DIGITS = 4, 4
MANIFEST_FIGURES = ("balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious")
GOLDEN_TOLERANCE = 0.02
"""Under a hundredth of the spread of the logits: GPUs round the products of its thirty layers of sums."""
GRAPH_DIFFERENCE_MAX = 1e-3
LICENCE = "MIT (the encoder as it was published) and Apache-2.0 (what was trained)"
ORIGIN = "the encoder of Moonshine base, @usefulsensors/moonshine-js 0.1.17; all of its layers, and a line and networks behind them, trained by models/training/speech"


class Words:
    """What training's own network says of windows, with the weights as the graph holds them."""

    def __init__(self, encoder_path, state):
        self.speech = make_speech(load_encoder(encoder_path), round_weights(state))

    def tell(self, windows):
        with torch.no_grad():
            return to_rounded(self.speech(torch.from_numpy(windows)).numpy())


def to_figure(tier, measured):
    figures, interval = measured["figures"], measured["intervals"]["auc"]
    head = {"tier": tier, "sources": measured["sources"], "clips": measured["clips"], "auc": figures["auc"], "aucLow": interval[0], "aucHigh": interval[1]}
    named = {**head, **{name: figures[name] for name in MANIFEST_FIGURES}}
    return {name: round(value, FIGURE_DIGITS) if isinstance(value, float) else value for name, value in named.items()}


def make_manifest(before, version, chosen, model, golden):
    return {
        **before, "version": version, "sha256": hashlib.sha256(model).hexdigest(),
        "calibration": {"type": "platt", **chosen["calibration"], "set": chosen["set"]},
        "decision": {
            **chosen["bounds"], "weight": 1,
            # Stays until a network is trained and calibrated on these codecs.
            "coded": before["decision"]["coded"],
            "short": {"belowSpeechSeconds": SHORT_BELOW_SECONDS, **chosen["shortBounds"]},
            "narrow": {"belowUpperBandDb": NARROW_BELOW_DB, **chosen["narrowBounds"]},
        },
        "licence": LICENCE, "source": ORIGIN, "trainedOn": chosen["trainedOn"],
        "figures": [to_figure(tier, chosen["measured"][tier]) for tier in TIERS],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCE, "expected": golden},
    }


def make_parity(before, media, words, calibration):
    """Places stay; logits and all that calibration makes of them are new."""
    described, windows = make_windows(SAMPLES)
    speech = []
    for row in before["speech"]:
        samples = (read_flac(media / row["file"]) / 32_768).astype(numpy.float32)
        if hashlib.sha256(samples.tobytes()).hexdigest() != row["samplesSha256"]:
            raise SystemExit(f"{row['file']}: other samples than the version before")
        # numpy.resize repeats a stretch that is shorter than the window.
        logits = words.tell(numpy.stack([numpy.resize(samples[one["offset"] : one["offset"] + one["length"]], SAMPLES) for one in row["ranges"]]))
        kept = {name: row[name] for name in ("file", "samplesSha256", "speechSeconds", "ranges")}
        speech.append({**kept, "logits": logits, **conclude(to_log_odds(numpy.mean(logits), calibration))})
    return {"sound": {**described, "logits": words.tell(windows)}, "speech": speech}


def write_scores(options, path, calibration):
    """Writes the left-out log-odds of files that were heard in every tier; returns (their AUC as found, their number)."""
    known, of_file = read_left_out([*options.left_out, *options.one_band]), read_known(options.data)
    files = sorted({file for file, tier in known if tier == len(TIERS) and file in of_file})
    files = [file for file in files if all((file, tier) in known for tier in range(len(SCORED_TIERS)))]
    odds = {name: to_log_odds([known[file, tier] for file in files], calibration) for tier, name in enumerate(SCORED_TIERS)}
    labels, sources = zip(*(of_file[file][:2] for file in files))
    write_score_table(path, labels, sources, odds)
    sides = numpy.array([label == "artificial" for label in labels])
    keys = numpy.array([f"{label}/{source}" for label, source in zip(labels, sources)])
    return to_auc(numpy.round(odds["clean"], LOG_ODDS_DIGITS), sides, weigh(keys, sides)), len(files)


def publish(options):
    chosen, state = json.loads(options.chosen.read_text(encoding="utf-8")), read_states([options.state])
    before = {name: json.loads((options.before / f"{name}.json").read_text(encoding="utf-8")) for name in ("model", "parity")}
    options.out.mkdir(parents=True)
    model = options.out / "model.onnx"
    write_model(graft(options.encoder, state), model)
    words, windows = Words(options.encoder, state), make_golden_windows(SAMPLES)
    golden = words.tell(windows)
    difference = numpy.abs(numpy.array(run_graph(options.node, model, windows)) - golden).max()
    if difference > GRAPH_DIFFERENCE_MAX:
        raise SystemExit(f"the graph and the network differ by {difference:.5f}, expected at most {GRAPH_DIFFERENCE_MAX}")
    manifest = make_manifest(before["model"], options.version, chosen, model.read_bytes(), golden)
    parity = make_parity(before["parity"], options.media, words, chosen["calibration"])
    (options.out / "model.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    (options.out / "parity.json").write_text(json.dumps(parity) + "\n", encoding="utf-8")
    auc, count = write_scores(options, options.out / "left-out-scores.tsv", chosen["calibration"])
    outside = [json.loads(path.read_text(encoding="utf-8")) for path in options.outside or ()]
    (options.out / "CARD.md").write_text(make_card(manifest, chosen, outside, f"over the {count} files of `left-out-scores.tsv`, the AUC as found is {auc:.3f}"), encoding="utf-8")
    for licence in options.before.glob("LICENSE*"):
        shutil.copyfile(licence, options.out / licence.name)
    print(options.version, golden, f"graph and network differ by {difference:.2e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--state", type=Path, required=True, help="average-N.pt of encoder_learn.py --without -1")
    parser.add_argument("--chosen", type=Path, required=True, help="what `encoder_figures.py choose` wrote")
    parser.add_argument("--left-out", type=Path, nargs="+", required=True, help="what `encoder_figures.py score` wrote of the three tiers")
    parser.add_argument("--one-band", type=Path, nargs="+", required=True, help="what it wrote of files limited to one band")
    parser.add_argument("--data", type=Path, required=True, help="the collection at hand")
    parser.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
    parser.add_argument("--media", type=Path, required=True, help="what test/media/parity-media.ts wrote")
    parser.add_argument("--node", default="node", help="Node.js 24, with the repository's packages")
    parser.add_argument("--before", type=Path, required=True, help="the pack of the version before")
    parser.add_argument("--outside", type=Path, nargs=2, help="figures.json of the version before and of this one, of the same files")
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True, help="must not exist")
    publish(parser.parse_args())
