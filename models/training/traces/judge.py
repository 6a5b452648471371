"""Stage 3: scores whole pictures in every tier with several networks, and says how well each tells them apart.

Scores are kept in WORK/scores/NETWORK.tsv by picture and tier; a picture that was scored is not scored again.
`--part choose` takes the inside owners that choose between networks, `--part outside` the harvest that is measured
once a version. Figures weigh sources alike; `pairs` is the mean of the AUC over all pairs of a human and an artificial
source, so that no source decides by its size.
"""

import argparse
import csv
import sys
from pathlib import Path

import numpy
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from metrics import bootstrap_auc, to_auc, to_tpr_at_fpr  # noqa: E402
from network import TraceNetwork  # noqa: E402
from parts import is_chosen_by  # noqa: E402
from placement import PATCH_SIDE, choose_patches, cut_patch  # noqa: E402
from texture import is_refused, measure_texture  # noqa: E402
from tiers import TIERS  # noqa: E402
from whole import leave, open_picture  # noqa: E402

PICTURES_PER_SOURCE_MAX = 8
PIXELS_MAX = 120_000_000
PARTS = {
    "inside": lambda row: row["harvest"] == "inside",
    "choose": lambda row: row["harvest"] == "inside" and is_chosen_by(row),
    "outside": lambda row: row["harvest"] == "outside",
}
"""`inside` as a whole is unseen by networks that were fitted before the corpus came."""
COLUMNS = ("label", "source", "owner", "file", "tier", "score")


def open_torch(path):
    import torch

    torch.set_num_threads(1)
    network = TraceNetwork()
    network.load_state_dict(torch.load(path))
    network.eval()

    def score(patches):
        with torch.no_grad():
            return network(torch.from_numpy(patches).permute(0, 3, 1, 2).float().div_(255)).numpy()

    return score


def open_onnx(path):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options)
    name = session.get_inputs()[0].name

    def score(patches):
        planes = patches.transpose(0, 3, 1, 2).astype(numpy.float32) / 255
        return session.run(None, {name: planes})[0].ravel()

    return score


def choose_rows(index, part, count_max):
    """Returns the rows of the part, at most count_max of a source, in the order of their names."""
    kept, counts = [], {}
    with open(index, newline="", encoding="utf-8") as stream:
        rows = sorted(csv.DictReader(stream, delimiter="\t"), key=lambda row: row["file"])
    for row in rows:
        key = row["label"], row["source"]
        if not PARTS[part](row) or counts.get(key, 0) >= count_max:
            continue
        counts[key] = counts.get(key, 0) + 1
        kept.append(row)
    return kept


def score_rows(rows, folder, networks, out):
    """Appends the scores of what is not scored yet; refused pictures get an empty score."""
    known = {name: read_scores(out / f"{name}.tsv") for name in networks}
    for row in rows:
        missing = [name for name in networks if (row["file"], TIERS[0].name) not in known[name]]
        if not missing:
            continue
        image = open_picture(folder / row["file"])
        for tier in TIERS if min(image.size) >= PATCH_SIDE else ():
            pixels = leave(image, tier)
            patches = numpy.stack([cut_patch(pixels, place) for place in choose_patches(pixels)])
            refused = is_refused(measure_texture(patches))
            for name in missing:
                score = "" if refused else f"{float(networks[name](patches).mean()):.5f}"
                append(out / f"{name}.tsv", [row["label"], row["source"], row["owner"], row["file"], tier.name, score])


def read_scores(path):
    if not path.exists():
        return {}
    with open(path, newline="", encoding="utf-8") as stream:
        return {(row["file"], row["tier"]): row["score"] for row in csv.DictReader(stream, delimiter="\t")}


def append(path, values):
    fresh = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        if fresh:
            writer.writerow(COLUMNS)
        writer.writerow(values)


def to_pair_mean(scores, labels, sources):
    """Mean AUC over all pairs of a human and an artificial source."""
    groups = {source: numpy.sort(scores[sources == source]) for source in numpy.unique(sources)}
    of = {label: [groups[name] for name in numpy.unique(sources[labels == label])] for label in (False, True)}
    values = [
        (numpy.searchsorted(human, fake, "left") + numpy.searchsorted(human, fake, "right")).mean() / 2 / len(human)
        for fake in of[True] for human in of[False]
    ]
    return float(numpy.mean(values))


def weigh_sources(sources, labels):
    weights = numpy.zeros(len(sources))
    for label in (False, True):
        for name in numpy.unique(sources[labels == label]):
            rows = (sources == name) & (labels == label)
            weights[rows] = 1 / rows.sum()
        weights[labels == label] *= 0.5 / weights[labels == label].sum()
    return weights


def describe(rows, tables):
    """Prints a line per network and tier; several tables are the mean of their standardised scores."""
    by_name = {name: table for name, table in tables.items()}
    for title, names in [(name, [name]) for name in by_name] + ([("together", list(by_name))] if len(by_name) > 1 else []):
        for tier in TIERS:
            kept = [row for row in rows if all(by_name[name].get((row["file"], tier.name), "") != "" for name in names)]
            columns = [numpy.array([float(by_name[name][row["file"], tier.name]) for row in kept]) for name in names]
            scores = sum(column / column.std() for column in columns)
            labels = numpy.array([row["label"] == "artificial" for row in kept])
            sources = numpy.array([f"{row['label']}/{row['source']}" for row in kept])
            weights = weigh_sources(sources, labels)
            low, high = bootstrap_auc(scores, labels, weights, sources)
            print(
                f"{title:24} {tier.name:6} {len(kept)} pictures of {len(numpy.unique(sources))} sources: "
                f"AUC {to_auc(scores, labels, weights):.3f} ({low:.3f}-{high:.3f}), "
                f"pairs {to_pair_mean(scores, labels, sources):.3f}, "
                f"found at 5 % {to_tpr_at_fpr(scores, labels, weights, 0.05):.2f}, at 1 % {to_tpr_at_fpr(scores, labels, weights, 0.01):.2f}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", choices=tuple(PARTS), default="choose")
    parser.add_argument("--count-max", type=int, default=PICTURES_PER_SOURCE_MAX, help="pictures of a source")
    parser.add_argument("networks", nargs="+", help="NAME=FILE: .pt of train.py, or .onnx of a pack")
    arguments = parser.parse_args()
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    arguments.out.mkdir(parents=True, exist_ok=True)
    chosen = choose_rows(arguments.index, arguments.part, arguments.count_max)
    files = dict(part.split("=", 1) for part in arguments.networks)
    opened = {name: open_onnx(path) if path.endswith(".onnx") else open_torch(path) for name, path in files.items()}
    score_rows(chosen, arguments.data, opened, arguments.out)
    describe(chosen, {name: read_scores(arguments.out / f"{name}.tsv") for name in opened})
