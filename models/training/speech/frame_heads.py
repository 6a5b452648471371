"""Says whether heads over frames hear more than averages over windows: `python3 frame_heads.py --heard DIR --data DIR --out DIR`.

hear-files.ts wrote DIR/NAME.f16 beside the averages: the frames of each window, layer by layer. A head looks at all layers of each frame,
at the frames beside it, and pools them by attention. Owners are left out as in corpus_fit.py; lines and networks over averages of the
same windows are fitted beside it, and both together. With --varied it learns from copies with rooms, noise and other codecs, too.
Writes OUT/frames.npz (or frames-varied.npz) with the left-out logits and prints the figures of each.
"""

import argparse
from pathlib import Path

import numpy
import torch
from torch import nn

from corpus_fit import FOLD_COUNT, Standard, combine, read_rows, score_other_folds, to_folds, to_shares
from corpus_pack import Corpus, decide_left_out, measure_tiers
from encoder_graph import LAYERS, WIDTH
from heard_files import ALL_TIERS, TIERS

FRAMES = 82
CROP = 48
"""Frames of a window that training looks at, from another place each time."""
HIDDEN = 96
ATTENTIONS = 2
INPUT_DROPOUT, POOLED_DROPOUT = 0.3, 0.5
WEIGHT_DECAY = 0.1
LEARNING_RATE = 1e-3
EPOCHS = 6
BATCH = 64
CLIP_AT = 5.0
SAMPLE = 400
"""Windows whose frames say how wide each dimension is."""


class Frames:
    """The frames of all windows, as they lie on the disk."""

    def __init__(self, heard_folder, rows):
        self.stored = [
            numpy.memmap(heard_folder / f"{name}.f16", dtype="<f2", mode="r").reshape(-1, len(LAYERS), FRAMES, WIDTH)
            for name in ("base", "inside")
        ]
        self.parts = rows.is_corpus[rows.heard.owners].astype(int)
        self.places = rows.heard.places
        sample = numpy.random.default_rng(1).choice(len(self.places), SAMPLE, replace=False)
        frames = self._read(sample).reshape(-1, len(LAYERS) * WIDTH)
        self.means, self.scales = frames.mean(axis=0), 1 / numpy.maximum(frames.std(axis=0), 1e-4)

    def _read(self, windows):
        found = numpy.stack([self.stored[self.parts[window]][self.places[window]] for window in windows]).astype(numpy.float32)
        return found.transpose(0, 2, 1, 3).reshape(len(windows), FRAMES, len(LAYERS) * WIDTH)

    def read(self, windows, crop=None, generator=None):
        """Returns [windows, frames, layers × width], in units of their spread."""
        found = self._read(windows)
        if crop is not None:
            start = int(torch.randint(FRAMES - crop + 1, (1,), generator=generator))
            found = found[:, start : start + crop]
        return torch.from_numpy(numpy.clip((found - self.means) * self.scales, -CLIP_AT, CLIP_AT))


class FrameHead(nn.Module):
    """Frames to a logit: all layers of a frame, three frames at once, attention, mean and spread of what it looks at."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(len(LAYERS) * WIDTH, HIDDEN)
        self.beside = nn.Conv1d(HIDDEN, HIDDEN, 3, padding=1)
        self.attention = nn.Linear(HIDDEN, ATTENTIONS)
        self.dropout = nn.Dropout(POOLED_DROPOUT)
        self.last = nn.Linear(2 * ATTENTIONS * HIDDEN, 1)

    def forward(self, frames):
        if self.training:
            # The same dimensions of every frame: a frame beside it would tell what was dropped.
            kept = (torch.rand(len(frames), 1, frames.shape[2]) >= INPUT_DROPOUT).float() / (1 - INPUT_DROPOUT)
            frames = frames * kept
        hidden = torch.relu(self.project(frames))
        hidden = torch.relu(self.beside(hidden.transpose(1, 2)).transpose(1, 2)) + hidden
        looks = self.attention(hidden).softmax(dim=1)
        means = torch.einsum("nth,nta->nah", hidden, looks)
        squares = torch.einsum("nth,nta->nah", hidden**2, looks)
        spreads = (squares - means**2).clamp_min(1e-4).sqrt()
        return self.last(self.dropout(torch.cat([means, spreads], dim=2).flatten(1)))[:, 0]


def fit_head(frames, labels, shares, seed):
    """`shares` weigh the windows: they are drawn by them."""
    torch.manual_seed(seed)
    head, kept = FrameHead(), numpy.nonzero(shares)[0]
    chances = torch.from_numpy(shares[kept] / shares[kept].sum())
    optimiser = torch.optim.AdamW(head.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    steps = EPOCHS * len(kept) // BATCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=steps)
    for _ in range(steps):
        drawn = kept[torch.multinomial(chances, BATCH, replacement=True).numpy()]
        loss = nn.functional.binary_cross_entropy_with_logits(head(frames.read(drawn, CROP)), labels[drawn])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return head.eval()


def score_head(head, frames, windows):
    with torch.no_grad():
        parts = [head(frames.read(windows[at : at + BATCH])).numpy() for at in range(0, len(windows), BATCH)]
    return numpy.concatenate(parts)


def score_left_out(rows, usable, folds, frames):
    """Returns the left-out logit of every row by the heads over frames."""
    owners = rows.heard.owners
    labels = torch.from_numpy(rows.is_artificial[owners].astype(numpy.float32))
    counts = numpy.bincount(owners, minlength=len(rows.sources))
    scores = numpy.zeros(len(rows.sources))
    for fold in range(FOLD_COUNT):
        members = numpy.nonzero(usable & (folds != fold))[0]
        shares = numpy.zeros(len(rows.sources))
        shares[members] = to_shares(rows, members)
        head = fit_head(frames, labels, (shares / numpy.maximum(counts, 1))[owners], fold + 1)
        windows = numpy.nonzero(folds[owners] == fold)[0]
        of_window = numpy.zeros((len(owners), 1), dtype=numpy.float32)
        of_window[windows, 0] = score_head(head, frames, windows)
        scores[folds == fold] = rows.heard.average(of_window)[folds == fold, 0]
        print(f"frames without fold {fold}", flush=True)
    return scores


def score_averages(rows, usable, folds):
    """As the version that ships: lines and networks over averages."""
    standard = Standard(rows, numpy.nonzero(usable)[0])
    windows = standard.apply(rows.heard.windows)
    averaged = rows.heard.average(windows)
    scores = score_other_folds(rows, usable, folds, standard, averaged, windows)
    return combine(scores, scores[usable].std(axis=0))


def describe(rows, measured, logits, name):
    corpus = Corpus(rows, measured, logits)
    _, single, bounds = decide_left_out(corpus)
    for tier in measure_tiers(corpus, single[:, 0], bounds[0]):
        figures, english = tier["figures"], tier["languages"].get("English", {"balanced": float("nan")})
        low, high = tier["intervals"]["auc"]
        print(f"{name}, {tier['tier']}: AUC {figures['auc']:.3f} ({low:.3f} to {high:.3f}), balanced {100 * tier['recallBalanced']:.0f} % found, "
              f"{100 * figures['falseAlarmRateBalanced']:.1f} % accused, cautious {100 * figures['recallCautious']:.1f} % found, "
              f"{100 * figures['falseAlarmRateCautious']:.1f} % accused, ECE {figures['ece']:.3f}, English people accused {100 * english['balanced']:.0f} %", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heard", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--varied", action="store_true", help="learn from copies with rooms, noise and other codecs, too")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows, usable = read_rows(options.heard, options.data)
    folds, measured = to_folds(rows), usable & (rows.tiers < len(TIERS))
    stored = options.out / "averages.npz"
    averages = numpy.load(stored)["logits"] if stored.exists() else score_averages(rows, measured, folds)
    numpy.savez(stored, logits=averages)
    # Both learn from the same rows, and are measured on them.
    measured &= numpy.isfinite(averages)
    learnt = measured | (usable & options.varied & (rows.tiers == ALL_TIERS.index("varied")))
    describe(rows, measured, averages, "averages")
    frames = score_left_out(rows, learnt, folds, Frames(options.heard, rows))
    numpy.savez(options.out / f"frames{'-varied' if options.varied else ''}.npz", logits=frames)
    describe(rows, measured, frames, "frames")
    units = [part / part[measured].std() for part in (averages, frames)]
    describe(rows, measured, sum(units) / 2, "both")


if __name__ == "__main__":
    main()
