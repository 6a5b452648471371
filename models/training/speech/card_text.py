"""Writes the text of CARD.md; every figure comes from the evaluation."""

import sys
from collections import Counter
from pathlib import Path

from evaluate import SCORES_FILE
from figures import CAUTIOUS_FALSE_ALARM_RATE, SHORT_BELOW_SECONDS
from clips import RATE
from encoder_graph import ENCODER_SHA256, FEATURE_COUNT
from encoder_heads import INVERSE_PENALTIES
from encoder_train import TRAINED_TIERS
from packs import PACKS, TOGETHER
from score import SPEECH_SECONDS_MIN
from source_rows import SOURCE_SIZE_MIN, find_worst
from splits import FOLD_COUNT, to_training_mask
from statistics_extract import BANK_FOLDER, ROUNDS
from statistics_train import load_bank

sys.path.append(str(Path(__file__).parent.parent))
from decisions import BAND_ERROR_RATE  # noqa: E402
from goals import to_rows  # noqa: E402
from tables import FIGURE_TITLES, make_goal_table, make_heuristic_table, percent, to_table  # noqa: E402

DATA_NOTES_FILE = Path(__file__).parent / "data-notes.md"
DESCRIPTIONS = {
    "encoder": """The frozen encoder of Moonshine base, a network that turns English speech into text (Useful Sensors, MIT), cut after its fifth layer: three convolutions over the wave, then five transformer layers 416 wide. Of the second to the fifth layer three statistics over time (mean, logarithm of the deviation, logarithm of the mean step from one moment to the next), standardised, clipped at ±5 deviations; one line a layer (logistic regression), each in units of the spread of its left-out scores; the logit is the mean of the four. Nothing of the encoder was trained here. Its weights stay in 8 bits as published, but the sums are floats: the published file quantises what it computes by the largest value of the whole batch, so that a window's answer would depend on the windows beside it (of noise, a statistic moved by a third of its spread), and only CPUs have those operations. So one file runs on every provider.""",
    "statistics": """Hand-made statistics of the window: how evenly 24 bands move and how they move together, modulation spectrum, flatness, ripple of the long-time spectrum; 40 cepstra, their changes, how long they hold and how they move together; how clear the pitch is and how it runs; the fine structure of each band and how alike it is from frame to frame; sharpness of the pulses that remain when the envelope is taken off. Standardised, clipped at ±4 deviations, then one line (logistic regression). The pack holds the lines of all five folds; its logit is the mean of theirs.""",
}


def make_figure_table(tiers):
    def cell(tier, name):
        low, high = tier["intervals"][name]
        return f"{tier['figures'][name]:.3f} ({low:.3f}–{high:.3f})"

    rows = [[title, *(cell(tier, name) for tier in tiers)] for name, title in FIGURE_TITLES.items()]
    rows.append(["AUC of each fold", *(", ".join(f"{value:.2f}" for value in tier["byFold"]) for tier in tiers)])
    rows.append(["clips (human + artificial)", *(f"{tier['human']} + {tier['artificial']}" for tier in tiers)])
    rows.append(["clips with enough speech to answer", *(tier["answered"] for tier in tiers)])
    return to_table(["", *(tier["tier"] for tier in tiers)], rows)


SHIPPED = {
    "encoder": "What is shipped was fitted on all clips, with the penalties and the scales of the folds.",
    "statistics": "What is shipped is the mean of the five models of the folds, which no left-out clip can measure.",
}
LICENCES = {
    "encoder": "The encoder: MIT, © 2025 Useful Sensors, Inc. (`LICENSE-moonshine.txt`); the lines: Apache-2.0.",
    "statistics": "Apache-2.0.",
}


def make_interval(share, interval):
    return f"{100 * share:.0f} % ({100 * interval[0]:.0f}–{100 * interval[1]:.0f})"


def make_family_table(tiers):
    rows = []
    for index, row in enumerate(tiers[0]["byFamily"]):
        others = [tier["byFamily"][index] for tier in tiers]
        rows.append([
            row["family"], row["systems"], row["clips"], *(f"{other['auc']:.2f}" for other in others),
            *(make_interval(1 - other["calledArtificial"], other["missedInterval"]) for other in others),
            percent(row["calledArtificialCautious"]),
        ])
    names = [tier["tier"] for tier in tiers]
    return to_table(
        ["family", "systems", "clips", *(f"AUC {name}" for name in names), *(f"missed {name}" for name in names), "found by `cautious`, clean"],
        rows,
    )


def make_kind_table(tiers):
    """How often each kind of human recording is accused, and how well it is told from all artificial clips."""
    rows = []
    for index, row in enumerate(tiers[0]["byKind"]):
        others = [tier["byKind"][index] for tier in tiers]
        rows.append([
            row["kind"], row["sources"], row["clips"], *(f"{other['auc']:.2f}" for other in others),
            *(make_interval(other["falseAlarms"], other["interval"]) for other in others), percent(row["cautious"]),
        ])
    names = [tier["tier"] for tier in tiers]
    return to_table(
        ["human recordings", "sources", "clips", *(f"AUC {name}" for name in names), *(f"false alarms {name}" for name in names), "`cautious`, clean"],
        rows,
    )


def make_pair_table(pairs):
    titles = {"group": "the same sentence", "speaker": "the same speaker"}
    rows = [
        [title, next(iter(pairs.values()))[column]["pairs"],
         *(f"{part[column]['share']:.2f} ({part[column]['interval'][0]:.2f}–{part[column]['interval'][1]:.2f})" for part in pairs.values())]
        for column, title in titles.items()
    ]
    return to_table(["pairs of", "pairs", *pairs], rows)


def make_worst_table(tiers, label):
    rows = [
        [tier["tier"], row["source"], row["clips"], percent(row["calledArtificial"]),
         percent(row["calledArtificialCautious"]), f"{row['meanProbability']:.2f}"]
        for tier in tiers
        for row in find_worst(tier["bySource"], label)
    ]
    return to_table(["tier", "source", "clips", "called artificial at p ≥ 0.5", "cautious", "mean p"], rows)


def make_source_table(tiers):
    others = [{(row["label"], row["source"]): row for row in tier["bySource"]} for tier in tiers]
    rows = [
        [row["label"], row["source"], row["family"], row["clips"],
         *(percent(by_source[row["label"], row["source"]]["calledArtificial"]) for by_source in others)]
        for row in tiers[0]["bySource"]
    ]
    return to_table(["label", "source", "family", "clips", *(f"called, {tier['tier']}" for tier in tiers)], rows)


def make_confounds(together):
    lines = [
        f"- {name} ({change['description']}) †: the AUC changes by {change['change']:+.3f} ({change['low']:+.3f} to {change['high']:+.3f})."
        for name, change in together["changes"].items()
    ]
    lines += [
        f"- Only clips of {name} ({subset['human']} human, {subset['artificial']} artificial): "
        f"AUC {subset['auc']:.3f} ({subset['low']:.3f}–{subset['high']:.3f})."
        for name, subset in together["subsets"].items()
    ]
    return "\n".join(lines)


def make_recipe(work, pack):
    if pack.key == "statistics":
        rounds = len(load_bank(work)) if (work / BANK_FOLDER).exists() else ROUNDS
        return f"""Statistics of {rounds} augmented windows per clip; per fold one logistic regression with an L2 penalty. Half of each label; human sources drawn nearly uniformly, artificial ones by family (tts .40, voice conversion .22, vocoder .14, neural codec .14, classic .10). Half of all windows pass a codec (MP3, Opus, AAC, Vorbis, G.722; telephone: µ-law, G.726, Opus, CELP, often limited to 300 to 3,400 Hz); speed ±6 %, equaliser, band limits, rooms, coloured noise, clipping, quantising, polarity, with the same rates for both labels."""
    versions = ", ".join(f"{tier.name} ({tier.description})" for tier in TRAINED_TIERS)
    penalties = ", ".join(f"{value:g}" for value in INVERSE_PENALTIES.values())
    return f"""Every clip stands in {len(TRAINED_TIERS)} versions, those of both labels alike: {versions}. The windows are those that the appliance places: speech is found by its own detector. A source weighs by the root of its clips, both labels the same. Inverse penalties of the layers: {penalties}, as found best in an earlier trial on these same folds. Statistics: {FEATURE_COUNT:,}. Origin of the encoder: npm package `@usefulsensors/moonshine-js` 0.1.17, `dist/model/base/quantized/encoder_model.onnx`, SHA-256 `{ENCODER_SHA256}`; `encoder_graph.py` makes the file of this pack from it, `LICENSE-moonshine.txt` is its licence."""


def describe_split(collection):
    lost = [
        int((~to_training_mask(collection.ties, collection.folds, fold) & (collection.folds != fold)).sum())
        for fold in range(FOLD_COUNT)
    ]
    return ", ".join(map(str, lost))


def make_failures(evaluation):
    clean, mp3, telephone = evaluation["tiers"]
    worst = ", ".join(row["source"] for row in find_worst(clean["bySource"], "artificial"))
    human = ", ".join(row["source"] for row in find_worst(clean["bySource"], "human"))
    families = sorted(clean["byFamily"], key=lambda row: row["auc"])
    figures = clean["figures"]
    missed = 1 - (2 * figures["balancedAccuracy"] - 1 + figures["falseAlarmRateBalanced"])
    return "\n".join([
        f"- `balanced` misses {percent(missed)} of artificial clips and accuses {percent(figures['falseAlarmRateBalanced'])} of human ones.",
        f"- Worst told systems: {worst}. Human sources accused most: {human}. Worst family: {families[0]['family']} (AUC {families[0]['auc']:.2f}).",
        f"- Cautious: {100 * figures['falseAlarmRateCautious']:.1f} % false alarms clean, "
        f"{100 * mp3['figures']['falseAlarmRateCautious']:.1f} % MP3, {100 * telephone['figures']['falseAlarmRateCautious']:.1f} % telephone, "
        f"on sources left out, with a recall of {percent(figures['recallCautious'])}, {percent(mp3['figures']['recallCautious'])} and "
        f"{percent(telephone['figures']['recallCautious'])}. With {len({row['source'] for row in clean['bySource'] if row['label'] == 'human'})} "
        "human sources a rate of zero does not show that none exists (rule of three: up to 3 %).",
        make_language_failure(clean),
        "- People whom Speex or a CELP codec has coded were accused by every model before; the encoder's lines have heard both labels through such codecs, "
        "the hand-made statistics through one. What is left is in the table of voice codecs above.",
        "- Commercial services of today, singing, children, whispering, strong noise, several speakers at once and clips that "
        "are partly artificial were not measured. Nothing here defends against someone who tries to deceive it.",
    ])


def make_language_failure(clean):
    rows = {row["kind"]: row for row in clean["byKind"]}
    english, others = rows["English"], rows["other languages"]
    return (
        f"- Of people who speak English it accuses {percent(english['falseAlarms'])}, of others {percent(others['falseAlarms'])}: the artificial "
        "speech it was fitted on is nearly all English and read, so part of what it tells is language and style. The pairs show what is left without."
    )


def show_percent(tier, name):
    low, high = tier["intervals"][name]
    return f"{percent(tier['figures'][name])} ({100 * low:.0f}–{100 * high:.0f})"


def make_together(together):
    """Returns the part of the card that is about all packs fused, as the appliance uses them."""
    tiers, bounds = together["tiers"], together["bounds"]
    figures = {tier["tier"]: tier["figures"] for tier in tiers}
    flips = {name: row["flips"] for name, row in together["flips"].items()}
    shared = " and ".join(f"{percent(row['decidedInBoth'])} of clean and {name}" for name, row in together["flips"].items())
    shares = ", ".join(f"`{pack.id}` {weight:g}" for pack, weight in zip(PACKS.values(), together["weights"]))
    short, voice = together["others"][:1], together["others"][1:]
    decided = ", ".join(f"{show_percent(tier, 'rightDecided')} ({tier['tier']})" for tier in tiers)
    chosen = ", ".join(f"{fit['weights'][0]:g}" for fit in together["leftOut"])
    return f"""Weighted mean of the calibrated log-odds: {shares}. The first weight is the best of a few by Cllr on four folds, for the fifth: {chosen}; on all five it is the one shipped.

{make_figure_table(tiers)}

### Each heuristic
False alarms on human clips and share of artificial ones found, by the heuristic that makes the verdict.

{make_heuristic_table(tiers)}

Of the verdicts that the assessment decides {decided} are right.

### What is asked of it
{make_goal_table(to_rows("speech", figures, flips))}

Flips are verdicts that are decided in both and differ, among {shared}.

### By kind of human recording and by language
False alarms at even odds (p ≥ 0.5) with 95 % intervals over sources; where there are few sources the interval says little. Languages by the names of the sources.

{make_kind_table(tiers)}

### By family of artificial speech
Missed: called human at even odds.

{make_family_table(tiers)}

### Pairs
How often the artificial one of a pair scores higher than the human one: style, text and language are equal within a pair and cannot help.

{make_pair_table(together["pairs"])}

### Little speech †
The middle 1.2 or 1.6 s of every clip. Where less than {SHORT_BELOW_SECONDS:g} s of speech is found the bounds of little speech hold; below {SPEECH_SECONDS_MIN:g} s there is no answer.

{make_figure_table(short)}

### Through codecs of voice radio and voice chat †
Speex, GSM and G.723.1 take turns over all clips.

{make_figure_table(voice)}

### Bounds of the fused score
Cautious at p ≥ {bounds['cautiousThreshold']:.3f} (at most {100 * CAUTIOUS_FALSE_ALARM_RATE:.1f} % false alarms on left-out sources in each tier); inconclusive for {bounds['inconclusiveLow']:.2f} ≤ p ≤ {bounds['inconclusiveHigh']:.2f}, set by class-conditional conformal prediction so that at most {percent(BAND_ERROR_RATE)} of human clips are called artificial and {percent(BAND_ERROR_RATE)} of artificial ones human, over the three tiers. With less than {SHORT_BELOW_SECONDS:g} s of speech: cautious at p ≥ {together["shortBounds"]["cautiousThreshold"]:.3f}, inconclusive for {together["shortBounds"]["inconclusiveLow"]:.2f} ≤ p ≤ {together["shortBounds"]["inconclusiveHigh"]:.2f}, set alike on the short clips. The figures use each fold's own bounds, from the other four. `{next(iter(PACKS.values())).id}/{SCORES_FILE}` holds the fused left-out log-odds of every clip: clean, MP3 and telephone from the appliance, the other columns †."""


def make_card(work, pack, version, evaluations, collection, distance):
    evaluation, together = evaluations[pack.key], evaluations[TOGETHER]
    tiers, calibration, bounds = evaluation["tiers"], evaluation["calibrations"][0], evaluation["bounds"]
    auc = {tier["tier"]: tier["figures"]["auc"] for tier in tiers}
    fused = {tier["tier"]: tier["figures"]["auc"] for tier in together["tiers"]}
    counts = Counter("artificial" if flag else "human" for flag in collection.is_artificial)
    return f"""# {pack.name} {version}

Tells synthesised, converted and re-coded speech from recordings. **It is weak evidence**: on sources it never saw its AUC is {auc['clean']:.2f} clean, {auc['mp3-64']:.2f} after MP3 at 64 kb/s and {auc['telephone']:.2f} over the telephone; with the other speech pack {fused['clean']:.2f}, {fused['mp3-64']:.2f} and {fused['telephone']:.2f}. Its verdict alone must not decide anything about a person; it is made to be one voice among several, and to say "inconclusive".

## What it is
{DESCRIPTIONS[pack.key]} Input: windows of {pack.window_samples:,} samples ({pack.window_samples / RATE:.2f} s) of 16 kHz mono in -1..1 inside speech; a shorter stretch of speech is repeated until it fills the window. Loudness is taken out inside the graph.

## Data
- {counts['human']:,} human clips of {len(set(collection.sources[~collection.is_artificial]))} sources and {counts['artificial']:,} artificial clips of {len(set(collection.sources[collection.is_artificial]))} sources (a source is one system, or one recording chain).
- Five folds by source (families of one site stay together, `families.tsv`). Whoever trains without a fold also leaves out every clip that shares a speaker or a sentence group with one of it ({describe_split(collection)} clips).
- Calibration and thresholds of each fold come from the other four folds' left-out scores.
{DATA_NOTES_FILE.read_text(encoding="utf-8").strip()}
- SHA-256 of the decoded samples: `{collection.sha256}`.

## Recipe
{make_recipe(work, pack)}

**How it was measured**: whole files, sent to a running appliance clean and as the evaluation makes MP3 and telephone calls of them (`npm run evaluate -- --kind audio --packs FOLDS --tiers`); each file goes to packs that were made without its fold, with calibrations, weights and bounds from the other four. A clip that no pack answers counts as p just below one half, calls nothing artificial and decides nothing. {SHIPPED[pack.key]} No clip's own label trained, calibrated or thresholded the score it is measured by; what to build was chosen with an eye on these same folds, so expect a little less elsewhere.

Sections marked † are training's own figures, of the same models on clips that no tier of the evaluation makes. On the clean clips training's log-odds and the appliance's differ by less than 0.01 for {100 * distance['near']:.1f} % of clips, by {distance['most']:.2f} at most.

## Both packs fused, on sources left out
{make_together(together)}

## This pack alone, on sources left out
Its own probability as the appliance states it beside the fused one; the verdicts that it would make alone, by its own bounds. With 95 % intervals from 1,000 draws of sources. Each clip weighs one over the square root of its source's size, both labels weigh the same.

{make_figure_table(tiers)}

Tiers: {'; '.join(f"**{tier['tier']}**: {tier['description']}" for tier in tiers)}.

## Confounds
{make_confounds(together)}

## Calibration and thresholds
One calibration over the three tiers: p = {calibration['floor']:.3f} + {1 - calibration['floor']:.3f} × logistic({calibration['slope']:.3f} × mean logit {calibration['intercept']:+.3f}), at even prior odds. The floor is there because some artificial speech scores as human as any recording. {make_narrowness(pack, calibration)}Used alone: cautious at p ≥ {bounds['cautiousThreshold']:.3f}, inconclusive for {bounds['inconclusiveLow']:.2f} ≤ p ≤ {bounds['inconclusiveHigh']:.2f}.

## What fails
{make_failures(together)}

### Worst systems (at least {SOURCE_SIZE_MIN} clips), fused
{make_worst_table(together["tiers"], 'artificial')}

### Worst human sources (at least {SOURCE_SIZE_MIN} clips), fused
{make_worst_table(together["tiers"], 'human')}

### Every source, fused
{make_source_table(together["tiers"])}

## Licence
{LICENCES[pack.key]} Made by `models/training/speech` of this repository.
"""


def make_narrowness(pack, calibration):
    if pack.key == "encoder":
        return ""
    scale, shift = calibration["slopeNarrow"] / calibration["slope"], calibration["interceptNarrow"] / calibration["slope"]
    return f"Inside the graph a logit is first moved by how narrow the band is (0 wide to 1 like a telephone's: × (1 {scale:+.3f} n) {shift:+.3f} n), so that one line serves both. "
