"""Writes the text of CARD.md; every figure comes from the evaluation."""

import sys
from collections import Counter
from pathlib import Path

from evaluate import SCORES_FILE
from figures import CAUTIOUS_FALSE_ALARM_RATE
from packs import PACKS, TOGETHER, load_ensemble, load_network
from scoring import WINDOW_SAMPLES
from source_rows import SOURCE_SIZE_MIN, find_worst
from splits import FOLD_COUNT, to_training_mask
from statistics_train import load_bank

sys.path.append(str(Path(__file__).parent.parent))
from decisions import BAND_ERROR_RATE  # noqa: E402
from goals import to_rows  # noqa: E402
from tables import FIGURE_TITLES, make_goal_table, make_heuristic_table, percent, to_table  # noqa: E402

DATA_NOTES_FILE = Path(__file__).parent / "data-notes.md"
DESCRIPTIONS = {
    "network": """A network over the spectrogram: frames of 512 samples, hop 256, logarithm of the power, each bin's mean over time taken off, a channel that tells the frequency; a 5×5 convolution, three pre-activation residual blocks (16, 32, 64 channels), mean and maximum over frequency, attentive mean and deviation over time. The pack holds the five networks that each left a fifth of the sources out, over one spectrogram; its logit is the mean of theirs.""",
    "statistics": """Hand-made statistics of the window: how evenly 24 bands move and how they move together, modulation spectrum, flatness, ripple of the long-time spectrum; 40 cepstra, their changes, how long they hold and how they move together; how clear the pitch is and how it runs; the fine structure of each band and how alike it is from frame to frame; sharpness of the pulses that remain when the envelope is taken off. Standardised, clipped at ±4 deviations, then one line (logistic regression). The pack holds the lines of all five folds; its logit is the mean of theirs.""",
}


def make_figure_table(tiers):
    def cell(tier, name):
        low, high = tier["intervals"][name]
        return f"{tier['figures'][name]:.3f} ({low:.3f}–{high:.3f})"

    rows = [[title, *(cell(tier, name) for tier in tiers)] for name, title in FIGURE_TITLES.items()]
    rows.append(["AUC of each fold", *(", ".join(f"{value:.2f}" for value in tier["byFold"]) for tier in tiers)])
    rows.append(["clips (human + artificial)", *(f"{tier['human']} + {tier['artificial']}" for tier in tiers)])
    return to_table(["", *(tier["tier"] for tier in tiers)], rows)


def make_family_table(tiers):
    rows = []
    for index, row in enumerate(tiers[0]["byFamily"]):
        others = [tier["byFamily"][index] for tier in tiers]
        rows.append([
            row["family"], row["systems"], row["clips"], *(f"{other['auc']:.2f}" for other in others),
            *(percent(other["calledArtificial"]) for other in others), percent(row["calledArtificialCautious"]),
        ])
    names = [tier["tier"] for tier in tiers]
    return to_table(
        ["family", "systems", "clips", *(f"AUC {name}" for name in names), *(f"found {name}" for name in names), "cautious, clean"],
        rows,
    )


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


def make_confounds(confounds):
    lines = [
        f"- {name} ({change['description']}): the AUC changes by {change['change']:+.3f} ({change['low']:+.3f} to {change['high']:+.3f})."
        for name, change in confounds["changes"].items()
    ]
    lines += [
        f"- Only clips of {name} ({subset['human']} human, {subset['artificial']} artificial): "
        f"AUC {subset['auc']:.3f} ({subset['low']:.3f}–{subset['high']:.3f})."
        for name, subset in confounds["subsets"].items()
    ]
    return "\n".join(lines)


def make_recipe(work, pack, collection):
    if pack.key == "statistics":
        return f"Statistics of {len(load_bank(work))} augmented windows per clip; per fold one logistic regression with an L2 penalty."
    trained = [load_network(work, fold)[1] for fold in range(FOLD_COUNT)]
    steps = sorted({part["step"] for part in trained})
    minutes = sum(part["elapsed_s"] for part in trained) / 60
    return (
        f"Per network {', '.join(f'{step:,}' for step in steps)} steps of 64 windows "
        f"({', '.join(f'{step * 64:,}' for step in steps)} windows), {minutes:.0f} minutes for all five on a share of one core."
    )


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
        f"- At p ≥ 0.5 it misses {percent(missed)} of artificial clips and accuses {percent(figures['falseAlarmRateBalanced'])} of human ones.",
        f"- Worst told systems: {worst}. Human sources accused most: {human}. Worst family: {families[0]['family']} (AUC {families[0]['auc']:.2f}).",
        f"- Cautious: {100 * figures['falseAlarmRateCautious']:.1f} % false alarms clean, "
        f"{100 * mp3['figures']['falseAlarmRateCautious']:.1f} % MP3, {100 * telephone['figures']['falseAlarmRateCautious']:.1f} % telephone, "
        f"on sources left out, with a recall of {percent(figures['recallCautious'])}, {percent(mp3['figures']['recallCautious'])} and "
        f"{percent(telephone['figures']['recallCautious'])}. With {len({row['source'] for row in clean['bySource'] if row['label'] == 'human'})} "
        "human sources a rate of zero does not show that none exists (rule of three: up to 3 %).",
        "- Commercial services of today, singing, children, whispering, strong noise, several speakers at once and clips that "
        "are partly artificial were not measured. Nothing here defends against someone who tries to deceive it.",
    ])


def make_together(together):
    """Returns the part of the card that is about all packs fused, as the appliance uses them."""
    tiers, bounds = together["tiers"], together["bounds"]
    figures = {tier["tier"]: tier["figures"] for tier in tiers}
    flips = {name: row["flips"] for name, row in together["flips"].items()}
    shared = " and ".join(f"{percent(row['decidedInBoth'])} of clean and {name}" for name, row in together["flips"].items())
    shares = ", ".join(f"`{pack.id}` {weight:g}" for pack, weight in zip(PACKS.values(), together["weights"]))
    chosen = ", ".join(f"{first:g}" for first, _ in together["weightsByFold"])
    return f"""Weighted mean of the calibrated log-odds: {shares}. The first weight is the best of a few by Cllr on four folds, for the fifth: {chosen}; on all five it is the one shipped.

{make_figure_table(tiers)}

### Each heuristic
False alarms on human clips and share of artificial ones found, by the heuristic that makes the verdict.

{make_heuristic_table(tiers)}

### What is asked of it
{make_goal_table(to_rows("speech", figures, flips))}

Flips are verdicts that are decided in both and differ, among {shared}.

### Bounds of the fused score
Cautious at p ≥ {bounds['cautiousThreshold']:.3f} (at most {100 * CAUTIOUS_FALSE_ALARM_RATE:.1f} % false alarms on left-out sources in each tier); inconclusive for {bounds['inconclusiveLow']:.2f} ≤ p ≤ {bounds['inconclusiveHigh']:.2f}, set by class-conditional conformal prediction so that at most {percent(BAND_ERROR_RATE)} of human clips are called artificial and {percent(BAND_ERROR_RATE)} of artificial ones human, over the three tiers. The figures use each fold's own bounds, from the other four. `{next(iter(PACKS.values())).id}/{SCORES_FILE}` holds the fused left-out log-odds of every clip."""


def make_card(work, pack, version, evaluations, collection, note):
    evaluation, together = evaluations[pack.key], evaluations[TOGETHER]
    tiers, calibration, bounds = evaluation["tiers"], evaluation["calibrations"][0], evaluation["bounds"]
    parameters = sum(p.numel() for p in load_ensemble(work, pack.key).parameters())
    auc = {tier["tier"]: tier["figures"]["auc"] for tier in tiers}
    counts = Counter("artificial" if flag else "human" for flag in collection.is_artificial)
    return f"""# {pack.name} {version}

Tells synthesised, converted and re-coded speech from recordings. **It is weak evidence**: on sources it never saw its AUC is {auc['clean']:.2f} clean, {auc['mp3-64']:.2f} after MP3 at 64 kb/s and {auc['telephone']:.2f} over the telephone. Its verdict alone must not decide anything about a person; it is made to be one voice among several, and to say "inconclusive".

## What it is
{DESCRIPTIONS[pack.key]} {parameters:,} weights. Input: windows of {WINDOW_SAMPLES:,} samples (1.28 s) of 16 kHz mono in -1..1; loudness is taken out inside the graph.

## Data
- {counts['human']:,} human clips of {len(set(collection.sources[~collection.is_artificial]))} sources and {counts['artificial']:,} artificial clips of {len(set(collection.sources[collection.is_artificial]))} sources (a source is one system, or one recording chain).
- Five folds by source (families of one site stay together, `families.tsv`). Whoever trains without a fold also leaves out every clip that shares a speaker or a sentence group with one of it ({describe_split(collection)} clips).
- Calibration and thresholds of each fold come from the other four folds' left-out scores.
{DATA_NOTES_FILE.read_text(encoding="utf-8").strip()}
- SHA-256 of the decoded samples: `{collection.sha256}`.

## Recipe
{make_recipe(work, pack, collection)} Half of each label; human sources drawn nearly uniformly, artificial ones by family (tts .40, voice conversion .22, vocoder .14, neural codec .14, classic .10). Half of all windows pass a codec (MP3, Opus, AAC, Vorbis, G.722; telephone: µ-law, G.726, Opus, CELP, often limited to 300 to 3,400 Hz); speed ±6 %, equaliser, band limits, rooms, coloured noise, clipping, quantising, polarity, with the same rates for both labels.{note}

**What was measured is not quite what is shipped**: each figure is that of the one model that left the clip's fold out; the pack holds the mean of all five, which no left-out clip can measure. The mean of several is expected to do no worse; take the figures as those of one. **Which statistics, penalties and weights to use was chosen with an eye on these same folds** (two sets of statistics, a handful of penalties), so expect a little less elsewhere. No clip's own label trained, calibrated or thresholded the score it is measured by.

## Both packs fused, on sources left out
{make_together(together)}

## This pack alone, on sources left out
With 95 % intervals from 1,000 draws of sources. Each clip weighs one over the square root of its source's size, both labels weigh the same.

{make_figure_table(tiers)}

Tiers: {'; '.join(f"**{tier['tier']}**: {tier['description']}" for tier in tiers)}.

### By family
AUC against all human clips; "found" is the share called artificial at p ≥ 0.5.

{make_family_table(tiers)}

## Confounds
{make_confounds(evaluation['confounds'])}

## Calibration and thresholds
One calibration over the three tiers: p = {calibration['floor']:.3f} + {1 - calibration['floor']:.3f} × logistic({calibration['slope']:.3f} × mean logit {calibration['intercept']:+.3f}), at even prior odds. The floor is there because some artificial speech scores as human as any recording: with a line alone, p below 0.2 was stated where a fifth was artificial. Inside the graph a logit is first moved by how narrow the band is (0 wide to 1 like a telephone's: × (1 {calibration['slopeNarrow'] / calibration['slope']:+.3f} n) {calibration['interceptNarrow'] / calibration['slope']:+.3f} n), so that one line serves both. Used alone: cautious at p ≥ {bounds['cautiousThreshold']:.3f}, inconclusive for {bounds['inconclusiveLow']:.2f} ≤ p ≤ {bounds['inconclusiveHigh']:.2f}. The pack holds the mean of five networks or lines, which spreads less than one of them: its probabilities are a little more timid than they need be.

## What fails
{make_failures(evaluation)}

### Worst systems (at least {SOURCE_SIZE_MIN} clips)
{make_worst_table(tiers, 'artificial')}

### Worst human sources (at least {SOURCE_SIZE_MIN} clips)
{make_worst_table(tiers, 'human')}

### Every source
{make_source_table(tiers)}

## Licence
Apache-2.0. Made by `models/training/speech` of this repository.
"""
