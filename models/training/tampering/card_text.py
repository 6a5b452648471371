"""Owns the words of CARD.md."""

from pathlib import Path

NOTES_FILE = Path(__file__).parent / "training-notes.md"
GOALS = {"auc": ("AUC", 0.75), "pixelF1": ("pixel F1", 0.4)}

ROWS = {
    "auc": "AUC of the picture's score",
    "balancedAccuracy": "balanced accuracy at p ≥ 0.5",
    "tprAtFpr5": "edits found at 5 % false alarms",
    "tprAtFpr1": "edits found at 1 % false alarms",
    "ece": "calibration error (ECE, 10 bins)",
    "brier": "Brier score",
    "falseAlarmRateBalanced": "false alarms at p ≥ 0.5",
    "falseAlarmRateCautious": "false alarms at the cautious threshold",
    "recallCautious": "edits found at the cautious threshold",
    "pixelF1": "pixel F1 on edited pictures",
    "falselyCalledCells": "cells called edited in authentic pictures",
}


def percent(share):
    return f"{100 * share:.0f} %"


def with_interval(measured, name):
    low, high = measured["intervals"][name]
    return f"{measured['figures'][name]:.3f} ({low:.3f}–{high:.3f})"


def to_table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def make_part_table(title, parts):
    rows = [
        [name, measured["images"], *(with_interval(measured, figure) for figure in ("auc", "pixelF1")),
         percent(measured["figures"]["falseAlarmRateBalanced"])]
        for name, measured in parts.items()
    ]
    return to_table([title, "pictures", "AUC", "pixel F1", "false alarms at p ≥ 0.5"], rows)


def make_fold_table(folds):
    rows = [[fold, f"{row['auc']:.3f}", f"{row['pixelF1']:.3f}", f"{row['ece']:.3f}"] for fold, row in folds.items()]
    return to_table(["test fold", "AUC", "pixel F1", "ECE"], rows)


def describe_trainings(trainings):
    return "; ".join(
        f"{trained['step']:,} steps ({trained['sample_count']:,} samples, {trained['elapsed_s'] / 60:.0f} minutes of a "
        f"share of one processor core) on folds {', '.join(map(str, trained['folds']))}"
        for trained in trainings
    )


def describe_goals(measured):
    parts = []
    for name, (title, goal) in GOALS.items():
        value = measured["figures"][name]
        parts.append(f"{title} {goal:.2f}: {value:.2f}, {'met' if value >= goal else 'not met'}")
    return "; ".join(parts)


def join_worst(rows, key):
    return ", ".join(f"{row['source']} ({percent(row[key])} of {row['images']})" for row in rows)


def describe_networks(trainings):
    return "A small network" if len(trainings) == 1 else f"The mean of {len(trainings)} small networks"


def describe_hosts(evaluation):
    trained = " and on ".join(
        f"{one['hosts']:,} pairs of {one['crops']:,} crops of {one['sources']} sources" for one in evaluation["trainings"]
    )
    measured = evaluation["all"]
    return (
        f"Crops of 192×192 pixels from human-made pictures: trained on {trained}, measured on {measured['images'] // 2:,} of "
        f"{evaluation['crops']:,} crops of {measured['sources']} sources, each by a network that saw nothing of its source"
    )


def describe_measure(evaluation):
    folds = ", ".join(evaluation["byFold"])
    text = (
        f"Measured are the folds {folds}, each by a network that saw nothing of it, with calibration and thresholds from the "
        "left-out scores of the other measured folds only."
    )
    if len(evaluation["trainings"]) == 1:
        return f"{text} The network that is shipped is the one that was measured."
    return f"{text} Shipped is the mean of the networks, which itself could not be measured on sources that none of them saw."


def describe_limit(smoke):
    """The figures are of crops: what little is known of whole pictures belongs beside them."""
    if smoke is None:
        return ""
    count = smoke["tampered"] + smoke["authentic"]
    return f"These figures are of small crops: on {count} whole pictures of the web the AUC of its score was {smoke['auc']:.2f}. "


def describe_smoke(smoke):
    if smoke is None:
        return "Not run."
    return (
        f"{smoke['tampered']} manipulated and {smoke['authentic']} authentic pictures of the web, run through the shipped "
        f"graph by the appliance's rule: AUC {smoke['auc']:.2f}; at p ≥ 0.5 {smoke['found']} of the manipulated and "
        f"{smoke['accused']} of the authentic ones lie there. Too few to measure anything; listed because they are real."
    )


def make_card(manifest, evaluation, smoke, draw_count):
    everything = evaluation["all"]
    trust, worst = evaluation["trust"], evaluation["worst"]
    figures = everything["figures"]
    rows = [[title, with_interval(everything, name)] for name, title in ROWS.items()]
    return f"""# {manifest['name']} {manifest['version']}

Looks for signs that a picture was edited without a generator: parts pasted from another picture, parts repeated or taken away, and local blurring, noise, scaling or recompression. Gives a score, a map of edited cells of 8×8 pixels, and a map of how far the first can be trusted. **It is weak evidence**: on sources that were left out its AUC is {figures['auc']:.2f}, its map reaches a pixel F1 of {figures['pixelF1']:.2f}, and at p ≥ 0.5 it calls {percent(figures['falseAlarmRateBalanced'])} of untouched pictures edited. {describe_limit(smoke)}It says nothing of who made a picture, and takes no part in the verdict on its origin.

## What it is
{describe_networks(evaluation['trainings'])} on {manifest['view']['size']}×{manifest['view']['size']} tiles at native resolution. It sees fixed traces of each cell: size, shape and neighbour correlations of residuals of classic high-pass filters (noise, scaling, blur), the strength of the 8×8 JPEG grid by phase, and the periodicity of the first cosine coefficients (how finely they were quantised before). Cells are compared with the rest of the tile; three blocks with widening sight follow. Only what follows the traces is learnt. Tiles are as large as the training samples; a picture's log-odds are the mean of its tiles': the most suspicious of many would accuse every large picture. So **a small edit hardly moves the score of a large picture**; look at the map.

- Pictures are never scaled. Larger than {manifest['view']['countMax']} tiles (about six megapixels): tiles are spread evenly, the rest is not looked at, and the assessment says what share was. Frames of a video get {manifest['view']['frameCountMax']} tiles; **the model was never measured on frames**.
- What the place of a cell in its tile adds on authentic crops is taken off the map: a map of many tiles would show where they meet.
- The short side must have {manifest['minimumShortSide']} pixels.

## Data
- {describe_hosts(evaluation)} (a source = a photographer, a corpus, a repository), a pair being a crop once as it was and once edited by program, with histories of their own: {len(evaluation['byKind'])} kinds in random blobs, polygons and rectangles of 2 to 30 % of the tile, anywhere in it and over its border, most of them with soft edges. Pasted parts come from another source of the same fold, with a life of their own (JPEG at another quality and grid phase, scaling, noise).
- Both classes pass through the same earlier and later histories at the same rates: scaling, filters, noise and colours of the whole picture, single and double JPEG, WebP or lossless, on the JPEG grid or off it. A test holds that the label is no input to them.
- **Not in the data**: edits by people, edits by generators, pictures larger than 192×192, screenshots of pictures, frames of videos.

## How it was trained and measured
Folds are grouped by source and family (`models/training/splits.py`). Fewer rounds than five, for want of time: {describe_trainings(evaluation['trainings'])}. {describe_measure(evaluation)}

{NOTES_FILE.read_text(encoding='utf-8').strip()}

Intervals are 95 %, from {draw_count} draws of sources. Goals of this work: {describe_goals(everything)}.

{to_table(["all left-out samples", f"{everything['edited']} edited, {everything['images'] - everything['edited']} not"], rows)}

A cell is called edited from p ≥ {manifest['cellThreshold']} on; the cautious threshold is p ≥ {manifest['decision']['cautiousThreshold']:.3f}; between {manifest['decision']['inconclusiveLow']} and {manifest['decision']['inconclusiveHigh']:.3f} the assessment says that it cannot be told.

{make_part_table("kind of edit, against all authentic", evaluation['byKind'])}

{make_part_table("final encoding", evaluation['byEncoding'])}

{make_fold_table(evaluation['byFold'])}

The map of trust tells right cells from wrong ones with an AUC of {trust['auc']:.2f}: of the least trusted quarter of the cells {percent(trust['accuracyLeastTrusted'])} are right, of the most trusted {percent(trust['accuracyMostTrusted'])}.

## Smoke test
{describe_smoke(smoke)}

## Known failures
- Human sources called edited most: {join_worst(worst['falseAlarms'], 'falseAlarms')}. Sources whose edits are missed most: {join_worst(worst['missed'], 'missed')}.
- Montages, screenshots with windows, pictures with drawn captions, and strong natural differences in focus or noise look like edits, and in a sense some are.
- An edit that fills a tile has no border inside it and nothing to be compared with.
- Strong compression or downscaling after the edit erases most traces; see the table by encoding.
- Nothing here defends against someone who tries to deceive it.
"""
