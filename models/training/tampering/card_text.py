"""Owns the words of CARD.md."""

from goals import is_met
from tables import percent, to_table

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


def with_interval(measured, name):
    low, high = measured["intervals"][name]
    return f"{measured['figures'][name]:.3f} ({low:.3f}–{high:.3f})"


def make_part_table(title, parts):
    rows = [
        [name, measured["images"], *(with_interval(measured, figure) for figure in ("auc", "pixelF1")),
         percent(measured["figures"]["falseAlarmRateBalanced"])]
        for name, measured in parts.items()
    ]
    return to_table([title, "pictures", "AUC", "pixel F1", "false alarms at p ≥ 0.5"], rows)


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


def with_share(measured, name):
    low, high = measured["intervals"][name]
    return f"{100 * measured['figures'][name]:.1f} % ({100 * low:.1f}–{100 * high:.1f})"


def make_whole_table(whole):
    names = ("tprAtFpr5", "falseAlarmRateCautious", "recallCautious")
    rows = [
        [title, f"{part['edited']} + {part['images'] - part['edited']}", part["sources"], with_interval(part, "auc"),
         *(with_share(part, name) for name in names), with_interval(part, "pixelF1")]
        for title, part in whole.items()
    ]
    header = ["whole pictures", "edited + not", "sources", "AUC", "found at 5 % false alarms", "false alarms, cautious",
              "found, cautious", "pixel F1"]
    return to_table(header, rows)


def describe_whole_goals(measured):
    found = {name: measured["figures"][name] for name in ("auc", "falseAlarmRateCautious", "ece")}
    checks = [("AUC", "auc", 0.80, "least"), ("false alarms at the cautious threshold", "falseAlarmRateCautious", 0.01, "most")]
    return "; ".join(
        f"{title} {'≥' if sense == 'least' else '≤'} {bound:g}: {found[name]:.3f}, {'met' if is_met(found[name], bound, sense) else 'not met'}"
        for title, name, bound, sense in checks
    )


def describe_smoke(smoke):
    if smoke is None:
        return "Not run."
    tier = smoke["tiers"][0]
    auc = tier["figures"]["auc"]
    return (
        f"{tier['files']} pictures of the web, some edited by people and some not, sent through the running appliance with the "
        f"pack that is shipped: AUC {auc['value']:.2f} ({auc['low']:.2f}–{auc['high']:.2f}). Too few to measure anything; "
        "listed because they are real, and nothing was chosen by them."
    )


def make_card(manifest, evaluation, pictures, whole, smoke):
    everything = evaluation["all"]
    trust, worst = evaluation["trust"], evaluation["worst"]
    total = whole["all"]
    rows = [[title, with_interval(everything, name)] for name, title in ROWS.items()]
    decision = manifest["decision"]
    return f"""# {manifest['name']} {manifest['version']}

Looks for signs that a picture was edited without a generator: parts pasted from another picture, parts repeated or taken away, and local blurring, noise, scaling or recompression. Gives a score, a map of edited cells of 8×8 pixels, and a map of how far the first can be trusted. **It is a hint, not evidence**: on whole pictures of sources that it had not seen, edited by program and sent through the running appliance, its AUC is {with_interval(total, 'auc')}; at the cautious threshold it finds {with_share(total, 'recallCautious')} of the edited ones and accuses {with_share(total, 'falseAlarmRateCautious')} of the others; its map reaches a pixel F1 of {with_interval(total, 'pixelF1')}. It says nothing of who made a picture, and takes no part in the verdict on its origin.

## What it is
{describe_networks(evaluation['trainings'])} on {manifest['view']['size']}×{manifest['view']['size']} tiles at native resolution, and a search for parts that lie in the picture twice. The networks see fixed traces of each cell: size, shape and neighbour correlations of residuals of classic high-pass filters (noise, scaling, blur), the strength of the 8×8 JPEG grid by phase, and the periodicity of the first cosine coefficients (how finely they were quantised before). Cells are compared with the rest of the tile; three blocks with widening sight follow. Only what follows the traces is learnt.

- **From tiles to a picture**: a mean over tiles drowns a small edit, the most suspicious of many accuses every large picture. So a regression weighs the mean and the strongest tile, the strongest region of 56 pixels and how far it stands out from the picture's median region, the spread of the cells and the share of suspicious ones.
- **Repeated parts**: every place gets a code of 25 signs of band-passed detail; places of one code vote for the shift between them. A copy gives one shift many votes close together, texture gives many shifts a few. Copies that were turned, mirrored or much scaled are not found this way, and what was found is in the score, not in the map.
- Pictures are never scaled for the networks. Larger than {manifest['view']['countMax']} tiles (about twelve megapixels): tiles are spread evenly, the rest is not looked at, and the assessment says what share was. Repeated parts are looked for in at most 1.5 megapixels: larger pictures are halved. Frames of a video get {manifest['view']['frameCountMax']} tiles and no search for repeated parts; **the model was never measured on frames**.
- What the place of a cell in its tile adds on authentic crops is taken off the map: a map of many tiles would show where they meet.
- The short side must have {manifest['minimumShortSide']} pixels.

## Data
- Networks: {describe_hosts(evaluation)} (a source = a photographer, a corpus, a repository), a pair being a crop once as it was and once edited by program, with histories of their own: {len(evaluation['byKind'])} kinds in random blobs, polygons and rectangles of 2 to 30 % of the tile, anywhere in it and over its border, most of them with soft edges. Pasted parts come from another source of the same fold, with a life of their own (JPEG at another quality and grid phase, scaling, noise).
- Weights, calibration and thresholds: {pictures['pictures']:,} whole pictures of {pictures['sources']} sources, human-made and artificial, half of them edited by program, each with a twin that was left as it was: the same four kinds, regions from 60 pixels across to a third of the picture, anywhere in it. Afterwards both twins get the same: a third as an editor saves them (lossless or JPEG 88 to 98), a third recompressed (JPEG 50 to 87), a third scaled (0.5 to 1.25) and saved; some of each with filtered pixels or changed colours throughout.
- Both classes pass through the same earlier and later histories at the same rates. A test holds that the label is no input to them.
- **Not in the data**: edits by people, edits by generators, screenshots of pictures, frames of videos.

## Whole pictures, through the appliance
Each fold by a pack that saw nothing of its sources: a network of the other folds, weights, calibration and thresholds of left-out scores of the other folds. Shipped is the mean of the networks, with weights of all folds; it has no left-out data of its own. Kinds and sizes of edit are told against all pictures that were not edited. Intervals are 95 %, from drawing sources again; of rates never narrower than Wilson's of as many trials as there are sources. Goals: {describe_whole_goals(total)}.

{make_whole_table(whole)}

Calibration error (ECE, 10 bins) {with_interval(total, 'ece')}. At p ≥ 0.5 {with_share(total, 'falseAlarmRateBalanced')} of the pictures that nobody edited are called edited and {with_share(total, 'recallBalanced')} of the edited ones; the assessment does not: from p ≥ {decision['cautiousThreshold']:.3f} on it says that a picture shows signs of editing, below {decision['inconclusiveLow']} that none were found, between them that it cannot be told.

## Crops of the networks' training
The networks alone, without regression and repeated parts, on tiles that are whole samples: {describe_trainings(evaluation['trainings'])}. {describe_measure(evaluation)}

Goals of that work: {describe_goals(everything)}.

{to_table(["all left-out samples", f"{everything['edited']} edited, {everything['images'] - everything['edited']} not"], rows)}

A cell is called edited from p ≥ {manifest['cellThreshold']} on.

{make_part_table("kind of edit, against all authentic", evaluation['byKind'])}

{make_part_table("final encoding", evaluation['byEncoding'])}

The map of trust tells right cells from wrong ones with an AUC of {trust['auc']:.2f}: of the least trusted quarter of the cells {percent(trust['accuracyLeastTrusted'])} are right, of the most trusted {percent(trust['accuracyMostTrusted'])}.

## Smoke test
{describe_smoke(smoke)}

## Known failures
- Crops of human sources called edited most: {join_worst(worst['falseAlarms'], 'falseAlarms')}. Sources whose edits are missed most: {join_worst(worst['missed'], 'missed')}.
- Montages, screenshots with windows, pictures with drawn captions, and strong natural differences in focus or noise look like edits, and in a sense some are. Tiled game graphics, letters and ornaments repeat parts without any edit.
- An edit that fills a tile has no border inside it and nothing to be compared with.
- Strong compression or downscaling after the edit erases most traces but copies; see the table.
- Nothing here defends against someone who tries to deceive it.
"""
