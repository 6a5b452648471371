"""Owns the words of CARD.md."""

import sys
from pathlib import Path

from encoder_graph import ENCODER_SHA256
from operating_points import NARROW_BELOW_DB, SHORT_BELOW_SECONDS

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


def make_figure_table(measured):
    """`measured`: {column: what operating_points.measure_rows gives}."""
    tiers, rows = measured.values(), []
    for name in SHOWN:
        cells = [f"{tier['figures'][name]:.3f} ({tier['intervals'][name][0]:.3f}–{tier['intervals'][name][1]:.3f})" for tier in tiers]
        rows.append([FIGURE_TITLES.get(name, name), *cells])
    rows.append(["found by `balanced`", *(f"{tier['recallBalanced']:.3f}" for tier in tiers)])
    rows.append(["conformal bound of `cautious`: accused share of the next owner", *(f"{tier['conformal']:.4f}" for tier in tiers)])
    rows.append(["files", *(f"{tier['clips']}" for tier in tiers)])
    rows.append(["owners (human + artificial)", *(" + ".join(map(str, tier["owners"])) for tier in tiers)])
    return to_table(["", *measured], rows)


def make_group_table(measured, groups, title):
    """Shares of human files that are accused, by group: at even odds, by `balanced` and by `cautious`."""
    tiers, rows = [*measured.values()], []
    for name, first in tiers[0][groups].items():
        cells = []
        for tier in tiers:
            found = tier[groups].get(name)
            cells.append(" / ".join(f"{100 * found[how]:.0f}" for how in ("even", "balanced", "cautious")) + " %" if found else "–")
        rows.append([name, first["owners"], first["files"], *cells])
    return to_table([title, "owners", "files", *measured], rows)


def make_outside_section(before, after):
    """`before` and `after`: figures.json of `npm run evaluate`, of the same files."""
    def show(figure):
        return f"{figure['value']:.3f} ({figure['low']:.3f}–{figure['high']:.3f})" if figure["value"] is not None else "–"

    pairs = [*zip(before["tiers"], after["tiers"])]
    head = ["", *(f"{one['tier']}, {when}" for one, _ in pairs for when in ("before", "now"))]
    rows = [[title, *(show(one["figures"][name]) for pair in pairs for one in pair)] for name, title in OUTSIDE_SHOWN]
    rows.append(["files with an answer (sources)", *(f"{one['files']} ({one['sources']})" for pair in pairs for one in pair)])
    return f"""
## Outside: owners that nothing was fitted, chosen or calibrated by
The corpus' `outside` harvest, whole files through a running appliance (`npm run evaluate -- --kind audio --tiers`), the same {after['data']['files']} files of {after['data']['sources']} sources before and after; up to two of a source, none over 90 s. Measured once, when all was chosen. Most of its human chains are developers' microphones, as inside.

{to_table(head, rows)}
"""


def make_card(manifest, chosen, outside, table):
    measured, languages, calibration = chosen["measured"], chosen["languages"], chosen["calibration"]
    bounds, short, narrow = chosen["bounds"], chosen["shortBounds"], chosen["narrowBounds"]
    return f"""# Assay speech encoder {manifest['version']}

Tells synthesised, converted and re-coded speech from recordings. **It is weak evidence**: its verdict alone must not decide anything about a person; it is made to be one voice among several, and to say "inconclusive".

<!-- printed by schema/print-tables.ts: begin -->
<!-- printed by schema/print-tables.ts: end -->

## What it is
The encoder of Moonshine base, a network that turns English speech into text (Useful Sensors, MIT), cut after its fifth layer: three convolutions over the wave, then five transformer layers 416 wide. Of the second to the fifth layer three statistics over time (mean, logarithm of the deviation, logarithm of the mean step from one moment to the next), standardised, clipped at ±5 deviations; a line and networks of one hidden layer read one number of them. All layers were trained on, end to end. Weights are stored in 8 bits, the sums are floats. Input: windows of 32,000 samples (2.00 s) of 16 kHz mono in -1..1 inside speech; a shorter stretch is repeated until it fills the window. Loudness is taken out inside the graph. Origin of the encoder: npm package `@usefulsensors/moonshine-js` 0.1.17, `dist/model/base/quantized/encoder_model.onnx`, SHA-256 `{ENCODER_SHA256}`; `LICENSE-moonshine.txt` is its licence.

## Data
- A collection at hand: human clips of 119 sources, artificial clips of 113, cut to 3.2 s.
- The corpus' inside harvest (`models/training/corpus`): {chosen['corpus']}. Many of the human ones are recordings of developers' own microphones, by the name that their recording program gives; nobody listened to them. Some per cent of the labels may be wrong.
- Languages of the corpus, where they are known: {', '.join(languages['both'])} are there under both labels; **as human speech only: {', '.join(languages['human']) or 'none'}; as artificial speech only: {', '.join(languages['artificial']) or 'none'}**.
- None of it is part of the product or published with it.

## Recipe
Every file is used in three versions: as found, as MP3 at 64 kb/s and as telephone sound. Both labels get the same versions, made by the evaluation's own code (`evaluate/sound-tiers.ts`). The first 15 s are heard; at most four windows of a version. Each window is drawn through a chain that does not know its label: polarity, an equaliser, a limit of the band, noise. An owner weighs by the root of its number of sources, a source by the root of its number of rows, and both labels weigh the same. 1.4.0 goes on from 1.3.0 and its three networks: 400 steps (one of the three 600) without the demonstration pages of 26 November 2026, then 300 with them. People of 108 owners that came on 27 November were not learnt from. Of 80 of them (191 clips), `balanced` accuses 3 clips clean, 3 as MP3, 2 over the telephone; `cautious` none. 1.4.1 has the weights, calibration and bounds of 1.4.0, and rules for codecs of speech (below).

The figures are of three networks, each of which learnt without a third of the owners and speaks of that third; the network that ships learnt by the same recipe, of all of them. Calibration and bounds are chosen on what these three say of the owners that they left out, and the figures of an owner use those that the other owners chose (five folds).

**`cautious` is bounded by conformal risk control over owners** (`conformal.py`; of the collection at hand a source or a site counts as an owner): with n human owners whose accused shares average R, the next owner's expected share is at most (nR + 1)/(n + 1), in each tier by itself; the promise is 1 %. `balanced` is bounded alike at 8 %. That holds for chains as those that were drawn; of another kind of chain it says nothing.

## On owners left out
An owner weighs by the root of its files. Intervals: 95 %, drawing owners again.

{make_figure_table(measured)}

Weighed by source instead, {table}.

### Human recordings that are accused, by kind and by language
At even odds / by `balanced` / by `cautious`. "Demonstrations and test files" are mostly the human halves of demonstration pages: read in a studio, in English.

{make_group_table(measured, "kinds", "kind")}

{make_group_table(measured, "languages", "language of the corpus")}
{make_outside_section(*outside) if outside else ""}
## Calibration and thresholds
p = {calibration['floor']:.3f} + {1 - calibration['floor']:.3f} × logistic({calibration['slope']:.3f} × mean logit {calibration['intercept']:+.3f}), at even prior odds. Cautious at p ≥ {bounds['cautiousThreshold']:.3f}, inconclusive for {bounds['inconclusiveLow']:.2f} ≤ p ≤ {bounds['inconclusiveHigh']:.2f}. With less than {SHORT_BELOW_SECONDS:g} s of speech: cautious at p ≥ {short['cautiousThreshold']:.3f}, inconclusive for {short['inconclusiveLow']:.2f} to {short['inconclusiveHigh']:.2f}, chosen alike on the files with as little.

### Sound of a narrow band
Where a tone at 4.5 to 7.5 kHz has less than {NARROW_BELOW_DB:g} dB of the power of one at 0.3 to 3.4 kHz, as over a telephone, `cautious` decides at p ≥ {narrow['cautiousThreshold']:.3f}; with less than {SHORT_BELOW_SECONDS:g} s of speech the bounds for short speech hold. The appliance measures it, and the record says that these bounds applied. On narrow sound alone, owners left out, of any tier:

{make_figure_table({"narrow band": chosen["narrow"]})}

### Sound in codecs of speech
The networks have heard no codec of speech. On owners of the `outside` harvest, nothing fitted, up to two files of a source, windows as training cuts them from copies made by `evaluate/voice-codecs.ts` (28 November 2026, `record-windows.ts outside.txt …`, `encoder_figures.py tiers`):

| tier | files (owners), human + artificial | AUC | `balanced`: accused / found | `cautious`: accused / found |
| --- | --- | --- | --- | --- |
| clean | 72 (39) + 77 (14) | 0.912 | 9 / 73 % | 0 / 21 % |
| mp3-64 | 70 (38) + 77 (14) | 0.909 | 6 / 77 % | 0 / 22 % |
| telephone | 70 (37) + 76 (14) | 0.910 | 5 / 67 % | 0 / 22 % |
| speex | 70 (38) + 77 (14) | 0.881 | 17 / 75 % | 0 / 25 % |
| gsm | 70 (38) + 77 (14) | 0.872 | 13 / 61 % | 0 / 14 % |
| amr | 71 (38) + 77 (14) | 0.858 | 19 / 66 % | 0 / 20 % |
| codec2 | 71 (39) + 77 (14) | 0.827 | 51 / 91 % | 16 / 61 % |
| opus | 71 (38) + 77 (14) | 0.894 | 9 / 72 % | 0 / 17 % |
| g72x | 70 (37) + 78 (14) | 0.887 | 4 / 56 % | 0 / 20 % |
| lost-packets | 72 (39) + 78 (14) | 0.886 | 5 / 66 % | 0 / 19 % |
| denoised | 72 (39) + 78 (14) | 0.899 | 10 / 73 % | 0 / 16 % |

Low rates do it. People's files at p ≥ .66: of Speex at 4 to 8 kb/s 7 of 20, at 15 and 24 kb/s 0 of 13; of AMR at 4.75 to 7.4 kb/s 16 of 56, at 7.95 and 12.2 kb/s 0 of 15; of Codec2 39 of 71; of Opus at 6 and 8 kb/s 1 of 33, at 12 and 16 kb/s 6 of 23, above 0 of 15. So a track that the file holds in Speex, AMR, AMR-WB, GSM or WMA Voice is always inconclusive (`decision.coded`), and nobody is accused; nothing is found there either. Through a running appliance (`npm run evaluate -- --kind audio`, 24 people's clips and 12 artificial ones of as many sources of the `outside` harvest, each as Speex at 6 kb/s in Ogg and as AMR at 4.75 kb/s): 1.4.0 accused 31 % (19 to 46) and found 75 % by `balanced`, 0 and 46 % by `cautious`; 1.4.1 none. AMR-WB and WMA Voice were not measured: no encoder is to be had. The rule goes by the file: **such sound that was converted to another format afterwards is judged as any other, and accused as often as the table says.**

## What fails
- Words of one second, whispering, singing and several voices at a time were not measured.
- **A person's own recording that a vocoder copies is not found.** Of 99 copies of 75 people whom the network had not heard (WORLD, Griffin-Lim), `balanced` finds none clean or as MP3, 2 of 90 over the telephone; on average the probability is within .06 of the recording's. Neural vocoders and codecs were the hardest among the systems, and few are in the corpus.
- Many of the artificial sources are assistants of a few services (Google Translate above all), read out by programs.
"""
