"""Bounds of the frames of a video (`decision.frames`), from what a running appliance said of whole clips.

`npm run evaluate -- --data DIR --kind video --tiers` keeps a journal; human clips of it bound what accuses, conformal over
owners as for pictures. Calibration and the lower bound stay, and `cautious` never begins lower than before or than of pictures. A video's most suspicious frames decide, so that the bounds
of pictures accuse more videos than they promise.
"""

import argparse
import json
from pathlib import Path

import numpy

from manifest import MANIFEST_FILE
from metrics import to_auc
from scored import BALANCED_RISK, CAUTIOUS_RISK, bound_owners, wilson
from traces.folds import assign_folds
from traces.index import read_table
from weights import weigh

TIERS = ("clean", "recompressed")
FOLD_COUNT = 5
PERCENT = 100
THRESHOLD_DIGITS, ROUND_UP = 6, 5e-7


class Clips:
    """Clips that have an answer in both tiers. A source that the corpus does not list is its own owner."""

    def __init__(self, journal, corpus):
        owners = {row["source"]: row["repository"].split("/")[0].lower() for row in read_table(corpus)}
        said = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
        answers = {(row["path"], row["tier"]): row for row in said if row.get("probability") is not None}
        paths = sorted({path for path, _ in answers if all((path, tier) in answers for tier in TIERS)})
        rows = [answers[path, TIERS[0]] for path in paths]
        names = [owners.get(row["source"], row["source"]) for row in rows]
        self.labels = numpy.array([row["label"] == "artificial" for row in rows])
        self.owners = numpy.array([f"{row['label']}/{name}" for row, name in zip(rows, names)])
        described = [{"label": "", "owner": name, "group": "", "family": ""} for name in names]
        self.folds = numpy.array(assign_folds(described, fold_count=FOLD_COUNT))
        self.stated = {tier: numpy.array([answers[path, tier]["probability"] for path in paths]) for tier in TIERS}
        self.weights = weigh(self.owners, self.labels)

    def fit(self, kept):
        """Returns where `balanced` and `cautious` begin, by some of the human clips, in the tier that accuses more."""
        human = kept & ~self.labels
        least = 1 / (len(set(self.owners[human])) + 1)
        high, threshold = (
            max(bound_owners(part[human], self.owners[human], max(risk, least)) for part in self.stated.values())
            for risk in (BALANCED_RISK, CAUTIOUS_RISK)
        )
        return float(numpy.ceil(high * PERCENT) / PERCENT), round(float(threshold) + ROUND_UP, THRESHOLD_DIGITS)

    def fit_left_out(self):
        """Returns both bounds of each clip by the other owners' clips [clips, 2]."""
        fitted = numpy.array([self.fit(self.folds != fold) for fold in range(FOLD_COUNT)])
        return fitted[self.folds]


def show(title, clips, bounds):
    """Prints how many human clips are accused and artificial ones found; intervals over owners."""
    for tier, stated in clips.stated.items():
        parts = [f"AUC {to_auc(stated, clips.labels, clips.weights):.3f}"]
        for number, name in enumerate(("balanced", "cautious")):
            for label, verb in ((False, "accuses"), (True, "finds")):
                rows = clips.labels == label
                share = float(numpy.average((stated >= bounds[:, number])[rows], weights=clips.weights[rows]))
                low, high = wilson(share, len(set(clips.owners[rows])))
                parts.append(f"{name} {verb} {100 * share:.0f} % ({100 * low:.0f} to {100 * high:.0f})")
        print(f"{title}, {tier}: " + "; ".join(parts))


def run(arguments):
    clips = Clips(arguments.journal, arguments.corpus)
    path = arguments.pack / MANIFEST_FILE
    manifest = json.loads(path.read_text(encoding="utf-8"))
    frames = manifest["decision"]["frames"]
    for label, name in ((False, "human"), (True, "artificial")):
        rows = clips.labels == label
        print(f"{rows.sum()} {name} clips of {len(set(clips.owners[rows]))} owners")
    show("before", clips, numpy.tile([frames["inconclusiveHigh"], frames["cautiousThreshold"]], (len(clips.labels), 1)))
    show("owners left out", clips, clips.fit_left_out())
    high, threshold = clips.fit(numpy.ones(len(clips.labels), dtype=bool))
    # Few owners promise little: their bound must not undo what more owners asked for, of frames or of pictures.
    threshold = max(threshold, frames["cautiousThreshold"], manifest["decision"]["cautiousThreshold"])
    manifest["decision"]["frames"] = {**frames, "cautiousThreshold": threshold, "inconclusiveHigh": high}
    print(manifest["decision"]["frames"])
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--journal", type=Path, required=True, help="measurements.jsonl of the evaluation")
    parser.add_argument("--corpus", type=Path, required=True, help="manifests/video.tsv: owners of the clips")
    parser.add_argument("--pack", type=Path, required=True)
    run(parser.parse_args())
