"""Owns the words of CARD.md of both speech packs as the corpus fitted them."""

import sys
from pathlib import Path

from encoder_graph import ENCODER_SHA256
from packs import PACKS

sys.path.append(str(Path(__file__).parent.parent))
from tables import FIGURE_TITLES, to_table  # noqa: E402

SHOWN = (
    "auc", "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
    "coverage", "balancedAccuracyDecided",
)
OUTSIDE_SHOWN = (
    ("auc", "AUC"), ("falseAlarmRateBalanced", "false alarms of `balanced`"), ("recallBalanced", "found by `balanced`"),
    ("falseAlarmRateCautious", "false alarms of `cautious`"), ("recallCautious", "found by `cautious`"), ("tprAtFpr5", "TPR at 5 % FPR"),
    ("ece", "calibration error (ECE, 10 bins)"), ("rightDecided", "right where decided"), ("coverage", "share that is decided"),
)


def make_figure_table(tiers):
    rows = []
    for name in SHOWN:
        cells = [f"{tier['figures'][name]:.3f} ({tier['intervals'][name][0]:.3f}–{tier['intervals'][name][1]:.3f})" for tier in tiers]
        rows.append([FIGURE_TITLES.get(name, name), *cells])
    rows.append(["found by `balanced`", *(f"{tier['recallBalanced']:.3f}" for tier in tiers)])
    rows.append(["conformal bound of `cautious`: accused share of the next owner", *(f"{tier['conformal']:.4f}" for tier in tiers)])
    rows.append(["files", *(f"{tier['clips']}" for tier in tiers)])
    rows.append(["owners (human + artificial)", *(" + ".join(map(str, tier["owners"])) for tier in tiers)])
    return to_table(["", *(tier["tier"] for tier in tiers)], rows)


def make_outside_table(before, after):
    """`before` and `after`: figures.json of `npm run evaluate`, of the same files."""
    def show(figure):
        return f"{figure['value']:.3f} ({figure['low']:.3f}–{figure['high']:.3f})" if figure["value"] is not None else "–"

    head, rows = [""], []
    for tier in after["tiers"]:
        head += [f"{tier['tier']}, before", f"{tier['tier']}, now"]
    for name, title in OUTSIDE_SHOWN:
        rows.append([title, *(show(one["figures"][name]) for pair in zip(before["tiers"], after["tiers"]) for one in pair)])
    rows.append(["files with an answer (sources)", *(f"{one['files']} ({one['sources']})" for pair in zip(before["tiers"], after["tiers"]) for one in pair)])
    return to_table(head, rows)


def make_group_table(tiers, groups, title):
    """Shares of human files that are accused, by group: at even odds, by `balanced` and by `cautious`."""
    rows = []
    for name, first in tiers[0][groups].items():
        cells = []
        for tier in tiers:
            found = tier[groups].get(name)
            cells.append(" / ".join(f"{100 * found[how]:.0f}" for how in ("even", "balanced", "cautious")) + " %" if found else "–")
        rows.append([name, first["owners"], first["files"], *cells])
    return to_table([title, "owners", "files", *(tier["tier"] for tier in tiers)], rows)


def make_card(key, manifest, chosen, outside, table_auc, table_files):
    pack, number = PACKS[key], [*PACKS].index(key)
    together, own = chosen["measured"]["together"], chosen["measured"][key]
    bounds, alone, languages = chosen["bounds"][2], chosen["bounds"][number], chosen["languages"]
    calibration = chosen["calibrations"][number]
    what = ENCODER_TEXT if key == "encoder" else STATISTICS_TEXT
    aucs = [tier["figures"]["auc"] for tier in together]
    outside_files, outside_sources = (outside[1]["data"][name] for name in ("files", "sources")) if outside else (0, 0)
    outside_text = f"""
## Outside: owners that nothing was fitted, chosen or calibrated by
The corpus' `outside` harvest, whole files through a running appliance (`npm run evaluate -- --kind audio --tiers`), the same {outside_files} files of {outside_sources} sources before and after; up to five of a source, none over 90 s. Measured whole once, at the end; three runs with earlier versions were stopped within their first 84 files, and nothing of them was read. Most of its human chains are developers' microphones, as inside; one (RAVDESS) shares its studio with a source inside. With some thirty human sources that answer, no accusation at all still allows for one in nine.

{make_outside_table(*outside)}
""" if outside else ""
    return f"""# {pack.name} {manifest['version']}

Tells synthesised, converted and re-coded speech from recordings. **It is weak evidence**: with the other speech pack its AUC on owners left out is {aucs[0]:.2f} clean, {aucs[1]:.2f} after MP3 at 64 kb/s and {aucs[2]:.2f} over the telephone. Its verdict alone must not decide anything about a person; it is made to be one voice among several, and to say "inconclusive".

## What it is
{what}

## Data
- The collection of the version before: 662 human clips of 119 sources, 511 artificial clips of 113 sources, cut to 3.2 s.
- The corpus' inside harvest (`models/training/corpus`): {chosen['corpus']}. Nearly all of the new human ones are recordings of developers' own microphones, by the name that their recording program gives; nobody listened to them. Some per cent of the labels may be wrong.
- Languages of the corpus are known for half of its files. {', '.join(languages['both'])} are there under both labels; **as human speech only: {', '.join(languages['human'])}; as artificial speech only: {', '.join(languages['artificial'])}**.
- None of it is part of the product or published with it.

## Recipe
Every file is used in three versions: as found, as MP3 at 64 kb/s and as telephone sound. Both labels get the same versions, made by the evaluation's own code (`evaluate/sound-tiers.ts`). The first 30 s are heard; at most three windows of a version are used for training. A source weighs by the root of its number of files, and both labels weigh the same. There are five folds of owners: a fold's models have seen nothing of the owners that they are measured on.

Calibration, weights and bounds come from owners that were left out, of both collections. The statistics learnt from the first one: there the encoder speaks alone. (Calibrated on the corpus alone, which is mostly of developers' microphones, `balanced` accused a fifth of the others.) **`cautious` is bounded by conformal risk control over owners** (`conformal.py`; of the first collection a source counts as an owner): with n human owners whose accused shares average R, the next owner's expected share is at most (nR + 1)/(n + 1), in each tier by itself; the promise is 1 %. `balanced` is bounded alike at 8 %. That holds for chains as those that were drawn; of another kind of chain it says nothing.

## Both packs fused, on owners left out
Weighted mean of the calibrated log-odds: `assay-speech-encoder` {chosen['weights'][0]:g}, `assay-speech-statistics` {chosen['weights'][1]:g}. An owner weighs by the root of its files. Intervals: 95 %, drawing owners again. The bounds of each owner come from the other four folds.

{make_figure_table(together)}

Weighed by source instead, over the {table_files} files of `left-out-scores.tsv`, the AUC as found is {table_auc:.3f}.

### Human recordings that are accused, by kind and by language
At even odds / by `balanced` / by `cautious`. "Demonstrations and test files" are mostly the human halves of demonstration pages: read in a studio, in English. They stay the hardest.

{make_group_table(together, "kinds", "kind")}

{make_group_table(together, "languages", "language of the corpus")}
{outside_text}
## This pack alone, on owners left out
{make_figure_table(own)}

## Calibration and thresholds
p = {calibration['floor']:.3f} + {1 - calibration['floor']:.3f} × logistic({calibration['slope']:.3f} × mean logit {calibration['intercept']:+.3f}), at even prior odds. Both together: cautious at p ≥ {bounds['cautiousThreshold']:.3f}, inconclusive for {bounds['inconclusiveLow']:.2f} ≤ p ≤ {bounds['inconclusiveHigh']:.2f}; alone: {alone['cautiousThreshold']:.3f}, {alone['inconclusiveLow']:.2f} to {alone['inconclusiveHigh']:.2f}. With less than 2 s of speech: cautious at p ≥ {chosen['shortBounds'][2]['cautiousThreshold']:.3f}, inconclusive for {chosen['shortBounds'][2]['inconclusiveLow']:.2f} to {chosen['shortBounds'][2]['inconclusiveHigh']:.2f}, chosen alike on the files with as little.

## How it grows
{chosen.get('curve', '')}

## What fails
- Words of one second, whispering, singing and several voices at a time were not measured.
- Vocoders and neural codecs that resynthesise a real voice were the hardest before, and few are new in the corpus.
- Most of the new artificial sources are assistants of a few services (Google Translate above all), read out by programs.
- The floor says that some artificial speech scores as human as any recording.
"""


ENCODER_TEXT = f"""The frozen encoder of Moonshine base, a network that turns English speech into text (Useful Sensors, MIT), cut after its fifth layer: three convolutions over the wave, then five transformer layers 416 wide. Of the second to the fifth layer three statistics over time (mean, logarithm of the deviation, logarithm of the mean step from one moment to the next), standardised, clipped at ±5 deviations. One line a layer (logistic regression), and three networks of one hidden layer of 64; lines and networks each in units of the spread of their left-out scores, half and half. Nothing of the encoder was trained. Its weights stay in 8 bits as published, the sums are floats. Input: windows of 32,000 samples (2.00 s) of 16 kHz mono in -1..1 inside speech; a shorter stretch is repeated until it fills the window. Loudness is taken out inside the graph. Origin of the encoder: npm package `@usefulsensors/moonshine-js` 0.1.17, `dist/model/base/quantized/encoder_model.onnx`, SHA-256 `{ENCODER_SHA256}`; `LICENSE-moonshine.txt` is its licence."""
STATISTICS_TEXT = """A line over hand-made statistics of windows of 20,480 samples (1.28 s): the graph of version 1.2.0, byte for byte, trained on the first collection alone. New are its calibration, its weight and its bounds."""
