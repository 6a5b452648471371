"""Measures how far an answer hangs on where one happened to look, and what other rules of looking would change.

Every picture is looked at as it is, moved, cut and mirrored: none of this changes where it comes from. `score` keeps
the detail and the logit of the most detailed places of each grid; `compare` makes every rule's answer from them, so
that rules are compared on the same logits. AUC tells what steadiness costs.
"""

import argparse
import csv
import json
import math
import sys
import zlib
from pathlib import Path

import numpy
from PIL import Image, ImageOps

from metrics import to_auc
from placement import (
    CANDIDATE_COUNT_MAX, CANDIDATE_STEP, DETAIL_SHARE_MIN, PATCH_COUNT_MAX, PATCH_SIDE, cut_patch, measure_detail, place_patches,
)
from tables import to_table
from texture import is_refused, measure_texture

SHIFT_PX = 40
CROP_SHARES = (0.02, 0.05, 0.1)
PIXELS_MAX = 60_000_000
KEPT_COUNT = 48
"""Twice the places that are shipped: so that rules of more places can be compared."""
BATCH_COUNT = 16
SMALL_PX, LARGE_PX = 1_000_000, 8_000_000


def make_states(image, rng):
    """Yields (name, pixels) of the picture itself and of what must not change an answer."""
    width, height = image.size
    yield "itself", numpy.asarray(image)
    if min(width, height) - SHIFT_PX >= PATCH_SIDE:
        yield "shift", numpy.asarray(image.crop((SHIFT_PX, SHIFT_PX, width, height)))
    for share in CROP_SHARES:
        cut = [round(extent * share) for extent in (width, height)]
        if min(width - cut[0], height - cut[1]) < PATCH_SIDE:
            continue
        left, top = (int(rng.integers(0, part + 1)) for part in cut)
        yield f"crop-{share}", numpy.asarray(image.crop((left, top, left + width - cut[0], top + height - cut[1])))
    yield "mirror", numpy.asarray(ImageOps.mirror(image))


def choose_richest(pixels, count=KEPT_COUNT):
    """Returns [(detail, place)] of the most detailed places, the richest first, and their patches."""
    height, width = pixels.shape[:2]
    places = place_patches(width, height, count_max=CANDIDATE_COUNT_MAX, step_px=CANDIDATE_STEP)
    details = [measure_detail(cut_patch(pixels, one)) for one in places]
    order = sorted(range(len(places)), key=lambda index: (-details[index], index))[:count]
    return [(details[index], places[index]) for index in order], numpy.stack([cut_patch(pixels, places[index]) for index in order])


def score_state(pixels, score, kept_count):
    """Returns [[detail, logit], …] of the most detailed places, the richest first."""
    chosen, patches = choose_richest(pixels, kept_count)
    if is_refused(measure_texture(patches)):
        return None
    return [[detail, round(float(logit), 5)] for (detail, _), logit in zip(chosen, score(patches))]


def open_score(path, output=None, column=0):
    """The graph's first output, or one column of a named one."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options)
    name = session.get_inputs()[0].name

    def score(patches):
        parts = [patches[start : start + BATCH_COUNT] for start in range(0, len(patches), BATCH_COUNT)]
        return numpy.concatenate(
            [session.run(output and [output], {name: part.transpose(0, 3, 1, 2).astype(numpy.float32) / 255})[0].reshape(len(part), -1)[:, column] for part in parts]
        )

    return score


def choose_rows(index, count_max):
    """Returns one picture a source, sources in an order by chance that stays, both labels alike."""
    by_source = {}
    with open(index, newline="", encoding="utf-8") as stream:
        for row in sorted(csv.DictReader(stream, delimiter="\t"), key=lambda row: row["file"]):
            if row["owner"]:
                by_source.setdefault((row["label"], row["source"]), row)
    ordered = sorted(by_source.values(), key=lambda row: zlib.crc32(row["source"].encode()))
    by_label = [[row for row in ordered if row["label"] == label] for label in ("human", "artificial")]
    return [row for pair in zip(*by_label) for row in pair][:count_max]


def score_pictures(index, model, out, count_max, kept_count):
    known = {json.loads(line)["file"] for line in out.read_text().splitlines()} if out.exists() else set()
    score = open_score(model)
    with open(out, "a", encoding="utf-8") as stream:
        for row in choose_rows(index, count_max):
            if row["file"] in known:
                continue
            with Image.open(row["file"]) as opened:
                image = ImageOps.exif_transpose(opened).convert("RGB")
            if min(image.size) < PATCH_SIDE:
                continue
            rng = numpy.random.default_rng(zlib.crc32(row["source"].encode()))
            states = {name: score_state(pixels, score, kept_count) for name, pixels in make_states(image, rng)}
            described = {key: row[key] for key in ("label", "source", "file")} | {"pixels": image.width * image.height}
            stream.write(json.dumps(described | {"states": states}) + "\n")
            stream.flush()


def soften(power, count):
    """A rule: the `count` richest places, each weighed by a power of its detail over the richest one's."""

    def pool(state):
        details, logits = numpy.array(state[:count]).T
        weights = (details / max(details[0], 1)) ** power
        return float((weights * logits).sum() / weights.sum()), len(logits)

    return pool


def cut_off(share, count, average=numpy.mean):
    """A rule: the `count` richest places with at least a share of the richest one's detail, all alike."""

    def pool(state):
        details, logits = numpy.array(state[:count]).T
        kept = logits[details >= share * details[0]]
        return float(average(kept)), len(kept)

    return pool


def saturate(limit):
    """Returns a mean in which no place counts for much more than the limit."""
    return lambda logits: float((limit * numpy.tanh(logits / limit)).mean())


def trim(share):
    """Returns a mean without a share of the places at either end."""

    def average(logits):
        left_out = int(len(logits) * share)
        return numpy.sort(logits)[left_out : len(logits) - left_out].mean()

    return average


SHIPPED = f"{PATCH_COUNT_MAX}, at least a quarter of the detail (shipped)"
RULES = {
    SHIPPED: cut_off(DETAIL_SHARE_MIN, PATCH_COUNT_MAX),
    "16, a quarter": cut_off(0.25, 16),
    "32, a quarter": cut_off(0.25, 32),
    "36, a quarter": cut_off(0.25, 36),
    "48, a quarter": cut_off(0.25, 48),
    "36, a tenth": cut_off(0.1, 36),
    "24, half": cut_off(0.5, 24),
    "36, weighed by the root of detail": soften(0.5, 36),
    "24, the middle one": cut_off(0.25, 24, numpy.median),
    "24, without a quarter at either end": cut_off(0.25, 24, trim(0.25)),
    "24, none beyond 3": cut_off(0.25, 24, saturate(3.0)),
    "24, none beyond 1.5": cut_off(0.25, 24, saturate(1.5)),
    "36, none beyond 1.5": cut_off(0.25, 36, saturate(1.5)),
}


def to_states(log_odds, band):
    """0 human, 1 inconclusive, 2 artificial."""
    low, high = (math.log(value / (1 - value)) for value in band)
    return numpy.digitize(log_odds, [low, high])


def compare(scores, manifest):
    described = json.loads(manifest.read_text(encoding="utf-8"))
    slope, intercept = (described["calibration"][part] for part in ("slope", "intercept"))
    band = [described["decision"][part] for part in ("inconclusiveLow", "inconclusiveHigh")]
    rows = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["states"]["itself"] is not None]
    first = pool_rows(rows, RULES[SHIPPED])[0][:, 0] * slope + intercept
    lines = []
    kept_count = max(len(places) for row in rows for places in row["states"].values() if places)
    for name, rule in RULES.items():
        # A rule cannot look at more places than were scored: it would repeat the answers of a rule that looks at fewer.
        if int(name.split(",")[0]) > kept_count:
            continue
        answers, counts = pool_rows(rows, rule)
        # Each rule answers on the first one's scale, or a rule that says less would look steady.
        log_odds = (answers - answers[:, :1].mean()) * first.std() / answers[:, 0].std() + first.mean()
        lines.append([name, f"{counts.mean():.1f}", *describe(rows, log_odds, band)])
    header = ["rule", "patches", "AUC", "mean change of the log-odds", "most", "other state", "below 1 MP", "above 8 MP"]
    print(to_table([*header, *STATE_NAMES], lines))
    labels = [row["label"] for row in rows]
    print(f"\n{labels.count('human')} human and {labels.count('artificial')} artificial pictures, one a source, of the corpus' inside harvest.")


STATE_NAMES = ("shift", *(f"crop-{share}" for share in CROP_SHARES), "mirror")


def pool_rows(rows, rule):
    """Returns (answers [pictures, 1 + states] with NaN where there is none, patches of the picture itself)."""
    answers, counts = [], []
    for row in rows:
        pooled = [rule(row["states"][name]) if row["states"].get(name) else (math.nan, 0) for name in ("itself", *STATE_NAMES)]
        answers.append([value for value, _ in pooled])
        counts.append(pooled[0][1])
    return numpy.array(answers), numpy.array(counts)


def describe(rows, log_odds, band):
    labels = numpy.array([row["label"] == "artificial" for row in rows])
    pixels = numpy.array([row["pixels"] for row in rows])
    changes = numpy.abs(log_odds[:, 1:] - log_odds[:, :1])
    states = to_states(log_odds, band)
    changed = numpy.where(numpy.isnan(changes), numpy.nan, states[:, 1:] != states[:, :1])
    auc = to_auc(log_odds[:, 0], labels, numpy.ones(len(rows)) / len(rows))
    yield f"{auc:.3f}"
    yield f"{numpy.nanmean(changes):.3f}"
    yield f"{numpy.nanmax(changes):.2f}"
    for chosen in (pixels > 0, pixels < SMALL_PX, pixels > LARGE_PX):
        yield f"{numpy.nanmean(changed[chosen]) * 100:.1f} %"
    for column in range(len(STATE_NAMES)):
        yield f"{numpy.nanmean(changes[:, column]):.3f}, {numpy.nanmean(changed[:, column]) * 100:.0f} %"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("score", "compare"))
    parser.add_argument("--index", type=Path, help="of traces/index.py")
    parser.add_argument("--pack", type=Path, required=True, help="folder of the pack")
    parser.add_argument("--out", type=Path, required=True, help="file of the scores, one line a picture")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--kept", type=int, default=KEPT_COUNT, help="places of a state that are scored: fewer are quicker, and rules of more cannot be compared")
    arguments = parser.parse_args()
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    if arguments.command == "score":
        score_pictures(arguments.index, arguments.pack / "model.onnx", arguments.out, arguments.count, arguments.kept)
    else:
        compare(arguments.out, arguments.pack / "model.json")
