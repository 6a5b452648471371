"""Writes the text of CARD.md of each pack; every figure comes from the evaluation."""

from collections import Counter
from pathlib import Path

from calibrate import count_patches
from decisions import BAND_ERROR_RATE
from evaluate import SCORES_FILE
from extract import KINDS
from export import COUNTS_MAX, PACK_OF_DETECTOR
from fusion import CAUTIOUS_FALSE_ALARM_RATE
from goals import to_rows
from inception import TAPS, TEXTURE_TAPS
from linear import CLIP, PENALTY
from manifest import PACK_NAMES
from network import ResidualNetwork
from outcome import DETECTORS, NETWORKS
from patch_statistics import PatchStatistics
from placement import PATCH_SIDE
from tables import (
    make_confound_table, make_detector_table, make_figure_table, make_fold_table, make_goal_table, make_heuristic_table,
    make_kind_table, make_source_table, make_worst_table, percent,
)
from texture import REFUSAL
from tiers import CROP_SIDE_MIN_PX

TEXTURE_MAP_COUNT = 256
DATA_NOTES_FILE = Path(__file__).parent / "data-notes.md"
QUALITY_TIER_COUNT = 3
SCORES_NOTE = (
    f"File names never reach a model. `{PACK_OF_DETECTOR[DETECTORS[0]]}/{SCORES_FILE}` holds the fused left-out log-odds of every picture, from which "
    "`test/models/confounds.test.ts` computes these changes again; it fails where one exceeds 0.03 with an interval that "
    "excludes 0."
)


def describe_data(collection):
    parts = []
    for label in ("human", "artificial"):
        crops = [crop for crop in collection.crops if crop.label == label]
        parts.append(f"{len(crops):,} {label} pictures of {len({crop.source for crop in crops})} sources")
    return " and ".join(parts)


def describe_largest_families(collection, count=3):
    """Names the artificial families with most pictures and the fold that each fell to."""
    artificial = [crop for crop in collection.crops if crop.is_artificial]
    sizes = Counter((crop.family, crop.fold) for crop in artificial)
    sources = Counter(family for family, _ in {(crop.family, crop.source) for crop in artificial})
    return ", ".join(
        f"{family} ({size} pictures of {sources[family]} sources, fold {fold})"
        for (family, fold), size in sizes.most_common(count)
    )


def describe_network():
    network = ResidualNetwork()
    count = sum(parameter.numel() for parameter in network.parameters())
    return (
        f"A residual network of {count:,} weights: {network.stem.weight.shape[0]} zero-sum 5×5 filters (initialised "
        "with classic residual filters on luma and chroma), tanh, four stages that each halve the resolution, a map "
        "of logits, mean."
    )


def describe_statistics(statistic_count):
    return (
        f"{statistic_count} statistics of a patch, computed inside the ONNX graph: moments, correlations and scale "
        "slopes of Laplacian and KV residuals of luma, chroma and RGB; symmetrised co-occurrences of truncated "
        "residuals of luma and colour differences; rings, axes, peaks and asymmetry of mean spectra, also of the "
        "rectified residual of green (traces of resampling and demosaicing); the 8×8 cosine transform on the JPEG "
        f"grid and half a block off it; noise of blocks against brightness. Standardised, clipped at ±{CLIP:.0f}, "
        f"weighed by one logistic regression (L2 {PENALTY}, L-BFGS)."
    )


def describe_inception():
    return (
        f"Two networks, the mean of their logits. Each is the lower half of an Inception v3 (to the layer {TAPS[-1]}) that had "
        "learnt ImageNet and other pictures (weights of nsfwjs, MIT) before it was trained on, with one line over the mean "
        f"and the deviation of the maps after {', '.join(TAPS)}."
    )


def describe_textures():
    return (
        f"How much each of the {TEXTURE_MAP_COUNT} maps of one layer ({TEXTURE_TAPS[-1]}) of an Inception v3 varies over a patch. The "
        "layers had learnt ImageNet and other pictures, and are left as they are: they lie in the npm package `nsfwjs`, which "
        "comes with Assay, and the model is made from them at the first start and checked against `sha256`. The deviations are "
        f"standardised, clipped at ±{CLIP:.0f}, weighed by one logistic regression (L2 {PENALTY}, L-BFGS)."
    )


def describe_what(detector, statistic_count):
    return {
        "residual": describe_network, "statistics": lambda: describe_statistics(statistic_count),
        "textures": describe_textures, "inception": describe_inception,
    }[detector]()


def describe_training(trained):
    stages = [*trained["earlier"], trained]
    parts = [
        f"{stage['step']:,} steps ({stage['crop_count']:,} patches, {stage['elapsed_s'] / 60:.0f} minutes of a shared "
        f"processor core) on folds {', '.join(map(str, stage['folds']))}"
        for stage in stages
    ]
    return ", then ".join(parts)


def make_recipe(detector, evaluation, statistic_count):
    if detector in KINDS:
        return (
            "Four variants of each picture: a patch as JPEG 90, and augmented patches of 128, 96 and 64 pixels"
            " (scaling, colour curves, JPEG and WebP at the same rates for both labels). None is learnt from as "
            "found, or it would learn the file format: see the confounds. Labels weigh the same, each source the "
            "square root of its size. The shipped regression is fitted on all sources; fitting takes seconds."
        )
    if detector == "inception":
        trainings = evaluation["trainings"]["inception"]
        members = {tuple(trained["folds"]): describe_training(trained) for trained in trainings.values()}
        return (
            f"{'; '.join(members[folds] for folds in sorted(members))}. **Each figure is that of the one network that did not see "
            "the picture's source; the pack answers the mean of both**, which no left-out picture can measure: every source was "
            f"seen by one of them. Patches, histories and losses as in `{PACK_OF_DETECTOR['residual']}`."
        )
    return (
        f"{describe_training(evaluation['trainings']['residual']['final'])}. Patches of 128, 96, 64 and 48 pixels; labels 50/50, "
        "each source by the square root of its size; scaling 0.34–1.2 with five kernels, colour curves, JPEG 30–95 "
        "(4:4:4, 4:2:2, 4:2:0) and WebP, a fifth of them twice, with the same rates for both labels; pictures that "
        "were never JPEG are given a JPEG history 7 times out of 10, so that the format tells less. (The first stage "
        "had no 48-pixel patches, scaling from 0.45, and JPEG from 40.) Binary cross-entropy with label smoothing, a "
        "second task that names the source (dropped here), AdamW, cosine schedule, averaged weights."
    )


def count_sources(tier, label):
    return sum(row["label"] == label for row in tier["bySource"])


def make_failures(tiers, evaluation):
    """Returns the plain list of what fails, read off the figures of the fused result."""
    clean, web, hard = tiers
    by_tier = [tier["fused"]["figures"] for tier in tiers]
    recalls = [2 * figures["balancedAccuracy"] - 1 + figures["falseAlarmRateBalanced"] for figures in by_tier]
    jpeg = clean["jpegOriginalsOnly"]["auc"] - by_tier[0]["auc"]
    lines = [
        "At p ≥ 0.5 it misses " + ", ".join(percent(1 - recall) for recall in recalls)
        + " of artificial pictures and accuses "
        + ", ".join(percent(figures["falseAlarmRateBalanced"]) for figures in by_tier)
        + " of human ones (clean, web, hard).",
        f"The cautious threshold is set for at most {100 * CAUTIOUS_FALSE_ALARM_RATE:.2f} % false alarms on calibration sources. On the test sources it gave "
        + ", ".join(f"{100 * figures['falseAlarmRateCautious']:.1f} %" for figures in by_tier) + " and finds "
        + ", ".join(percent(figures["recallCautious"]) for figures in by_tier) + " of artificial pictures.",
        f"Worst told generators: {join_sources(clean['worstGenerators'])}. "
        f"Human sources accused most: {join_sources(clean['worstHumanSources'])}.",
        f"File format: counting JPEG originals only changes the clean AUC by {jpeg:+.3f}. That mixes two causes that "
        "these data cannot part: another choice of generators, and traces of a picture's history (being JPEG all "
        "along, or not) that survive re-encoding. For a JPEG from an unknown generator expect the lower figure.",
        f"With {count_sources(clean, 'human')} human sources, up to {percent(3 / count_sources(clean, 'human'))} of "
        "sources could behave otherwise unseen (rule of three), also where an interval is 0.000–0.000.",
        "Generators newer than the collection, edited or in-painted pictures, photographs of screens and prints, and "
        "strong blur, upscaling or beauty filters were not measured. Nothing here defends against someone who tries "
        "to deceive it.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def join_sources(rows):
    return ", ".join(row["source"] for row in rows)


def describe_calibration(detector, calibration, evaluation):
    slope, intercept = calibration["lines"][DETECTORS.index(detector)]
    together, alone = calibration["together"], calibration["alone"][DETECTORS.index(detector)]
    weights = ", ".join(
        f"{PACK_OF_DETECTOR[name]} {weight:.2f}" for name, weight in zip(DETECTORS, calibration["weights"])
    )
    own = ", ".join(
        f"{tier} {values['ece']:.3f} → {values['eceOfOwnLine']:.3f}"
        for tier, values in evaluation["tierCalibrations"].items()
    )
    return (
        f"One Platt calibration over the three tiers: log-odds = {slope:.3f} × mean logit {intercept:+.3f}, at even "
        f"prior odds; the fused verdict is the mean of the packs' log-odds weighed {weights}. Lines and weights come "
        f"from left-out scores in folds {', '.join(map(str, calibration['folds']))}, whose residual networks were trained about "
        f"as long as the shipped one. All lines are stretched by {calibration['stretch']:.2f}, so that the fused "
        "result is calibrated; a pack that is used alone is that much too sure. Bounds come from the left-out scores of "
        f"all five test folds. Of the fused score: cautious at p ≥ {together['cautiousThreshold']:.3f} (at most "
        f"{100 * CAUTIOUS_FALSE_ALARM_RATE:.2f} % false alarms in each tier, for a promise of 1 %); inconclusive for {together['inconclusiveLow']:.2f} ≤ p ≤ {together['inconclusiveHigh']:.2f}, "
        f"set by class-conditional conformal prediction so that at most {percent(BAND_ERROR_RATE)} of human pictures are "
        f"called artificial and {percent(BAND_ERROR_RATE)} of artificial ones human, over the three tiers. Where only one "
        f"of the packs answers, its own bounds hold (cautious at p ≥ {alone['cautiousThreshold']:.3f}, inconclusive for "
        f"{alone['inconclusiveLow']:.2f} ≤ p ≤ {alone['inconclusiveHigh']:.2f}). The figures above did not use these: "
        "each round has its own, from its inner split. A line per tier instead of one changes the calibration error, "
        f"measured in the same way: {own}."
    )


def to_goal_rows(tiers, evaluation):
    figures = {tier["tier"]: tier["fused"]["figures"] for tier in tiers}
    return to_rows("image", figures, {name: row["flips"] for name, row in evaluation["flips"].items()})


def describe_flips(evaluation):
    shares = [f"{percent(row['decidedInBoth'])} of clean and {name}" for name, row in evaluation["flips"].items()]
    return "among " + " and ".join(shares)


def make_card(detector, version, calibration, evaluation, collection):
    tiers = evaluation["tiers"][:QUALITY_TIER_COUNT]
    clean, web, hard = tiers
    alone, fused = clean["detectors"][detector]["figures"], clean["fused"]["figures"]
    statistic_count, refused = PatchStatistics().count, evaluation["refused"]
    others = " and ".join(f"`{PACK_OF_DETECTOR[name]}`" for name in DETECTORS if name != detector)
    trainings = evaluation["trainings"]
    return f"""# {PACK_NAMES[detector]} {version}

Tells pictures of generators from human-made ones. Made to be used together with {others}. **It is weak evidence**: on sources that were left out its AUC is {alone['auc']:.2f} clean, and all fused reach {fused['auc']:.2f} clean, {web['fused']['figures']['auc']:.2f} after web handling and {hard['fused']['figures']['auc']:.2f} in the hard tier. A verdict alone must not decide anything about a person; it is one voice among several, and may say "inconclusive".

## What it is
{describe_what(detector, statistic_count)} It looks at up to {COUNTS_MAX[detector]} patches of {PATCH_SIDE}×{PATCH_SIDE} at native resolution, on the 8-pixel grid; a picture's score is the mean of its patch logits. Pictures are never scaled.

## Data
- {describe_data(collection)}.
- **What is shipped was trained on all of them, so it has no left-out data of its own.** All figures come from a grouped cross-validation of the recipe: five folds, each source measured once by detectors that saw neither it nor its family; in each round one fold measures, one calibrates and sets thresholds, the other three train (a network on two or three of them: see the table by fold).
- The split is by source (a generator in one repository, a photographer, a corpus). Sources that share a pipeline, a site or pictures (`models/training/families.tsv`) are in one fold. The largest artificial families: {describe_largest_families(collection)}.
{DATA_NOTES_FILE.read_text(encoding="utf-8").strip()}
- SHA-256 of the decoded pixels: `{collection.sha256}`.

## Recipe
{make_recipe(detector, evaluation, statistic_count)}

## What it does not judge
On a flat picture, on noise and on what is drawn in flat colours (screens, charts, clip art) the detectors say "human" with all their might, since nothing in it is like what they learnt. The appliance measures the patches and gives no answer below a luma variance of {REFUSAL['lumaVarianceMin']}, below a correlation of neighbours of {REFUSAL['neighbourCorrelationMin']}, or where more than {percent(REFUSAL['equalShareMax'])} of neighbours are of one colour: {refused['human']['count']} ({100 * refused['human']['share']:.1f} %) of the human pictures as found and {refused['artificial']['count']} ({100 * refused['artificial']['share']:.1f} %) of the artificial ones. They are in no figure below.

## Figures of the fused result, on test folds
With 95 % intervals from 1,000 draws of sources. Each picture weighs one over the square root of its source's size, both labels weigh the same. The rounds' networks saw two or three fifths of the sources, and the residual one in rounds 1 to 3 far fewer patches than the shipped one (table below): the figures are those of the recipe cut short, not of the shipped weights. The statistics' penalty, variants and choice of co-occurrences were compared on left-out folds 1, 3 and 5, the layer of the textures on all, which makes their figures a little too good.

{make_figure_table(tiers)}

### Each heuristic
False alarms on human pictures and share of artificial ones found, by the heuristic that makes the verdict.

{make_heuristic_table(tiers)}

### What is asked of it
{make_goal_table(to_goal_rows(tiers, evaluation))}

Flips are verdicts that are decided in both and differ, {describe_flips(evaluation)}; the appliance also calls a picture inconclusive where its own recompressed or scaled copies change sides, which is not counted here.

### Each detector alone
{make_detector_table(tiers, PACK_OF_DETECTOR)}

### By fold
{make_fold_table(tiers, trainings, NETWORKS)}

The shipped residual network had {count_patches(trainings['residual']['final']):,} patches in all.

### Confounds
{make_confound_table(evaluation['confounds'])}

{SCORES_NOTE}

One patch of a crop instead of up to four is also less to judge by, which is part of the second change.

Tiers: {'; '.join(f"**{tier['tier']}**: {tier['description']}" for tier in tiers)}.

How a crop stands for a picture: it is scaled by the factor that brings the whole picture's long side to the limit, but never below {CROP_SIDE_MIN_PX} pixels; that held the factor up for {percent(web['scaleHeldShare'])} of the pictures in web and {percent(hard['scaleHeldShare'])} in hard, which are therefore a little easier than the real thing. A scaled crop that is smaller than a patch is scored as one view of its own size. A whole picture gives up to {COUNTS_MAX[detector]} patches where a crop gives at most 4; whole pictures were not measured.

## Calibration and thresholds
{describe_calibration(detector, calibration, evaluation)}

## What fails (fused)
{make_failures(tiers, evaluation)}

### Worst generators (at least 5 pictures)
{make_worst_table(tiers, 'worstGenerators')}

### Worst human sources (at least 5 pictures)
{make_worst_table(tiers, 'worstHumanSources')}

### False alarms by kind of human picture
{make_kind_table(tiers)}

### Every source
{make_source_table(tiers)}

## Licence
Apache-2.0. Made by `models/training` of this repository.
"""
