"""Stage 2a: makes augmented windows once, for all folds, and keeps their spectrograms; resumable by parts.

Augmenting and transforming cost more than a training step, and do not depend on
the fold. A clip gets as many windows as training will ask of it, so that a
source with a single clip is not seen the same way again and again.
"""

import argparse
import json
from pathlib import Path

import numpy
import torch

from augment import make_windows
from clips import ClipCollection
from network import Spectrogram
from sampling import Sampler

BANK_FOLDER = "spectrograms"
PART_WINDOWS = 2_048
BATCH_SIZE = 32
CLIP_WINDOWS_MIN = 8


def plan_windows(collection, count, seed):
    """Returns the clip of each window: at least CLIP_WINDOWS_MIN each, the rest as training draws."""
    rng = numpy.random.default_rng((seed, 7))
    clips = numpy.arange(len(collection.rows))
    drawn, _ = Sampler(collection, clips).draw((count - CLIP_WINDOWS_MIN * len(clips)) // 2 * 2, rng)
    planned = numpy.concatenate([numpy.repeat(clips, CLIP_WINDOWS_MIN), drawn])
    return rng.permutation(planned)


@torch.no_grad()
def extract_part(collection, owners, spectrogram, rng):
    """Returns log power less its mean over time, float16 [N, bins, frames]."""
    parts = []
    for start in range(0, len(owners), BATCH_SIZE):
        sound = make_windows(collection, owners[start : start + BATCH_SIZE], rng)
        parts.append(spectrogram(sound)[:, 0].numpy().astype(numpy.float16))
    return numpy.concatenate(parts)


def extract(work, count, seed):
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    collection, spectrogram = ClipCollection(work), Spectrogram().eval()
    folder = work / BANK_FOLDER
    folder.mkdir(exist_ok=True)
    owners = plan_windows(collection, count, seed)
    (folder / "owners.json").write_text(json.dumps(owners.tolist()), encoding="utf-8")
    for number, start in enumerate(range(0, len(owners), PART_WINDOWS)):
        path = folder / f"part-{number:03}.npy"
        if path.exists():
            continue
        rng = numpy.random.default_rng((seed, 8, number))
        temporary = folder / f"part-{number:03}.tmp.npy"
        numpy.save(temporary, extract_part(collection, owners[start : start + PART_WINDOWS], spectrogram, rng))
        temporary.rename(path)
        print(f"{min(start + PART_WINDOWS, len(owners))} of {len(owners)} windows", flush=True)


class SpectrogramBank:
    """The windows of every clip, mapped from disk."""

    def __init__(self, work):
        folder = work / BANK_FOLDER
        owners = numpy.array(json.loads((folder / "owners.json").read_text(encoding="utf-8")))
        files = sorted(path for path in folder.glob("part-*.npy") if ".tmp" not in path.name)
        self.parts = [numpy.load(path, mmap_mode="r") for path in files]
        owners = owners[: sum(len(part) for part in self.parts)]
        order = numpy.argsort(owners, kind="stable")
        counts = numpy.bincount(owners, minlength=owners.max() + 1)
        self.windows_of_clip = numpy.split(order, numpy.cumsum(counts)[:-1])

    def draw(self, clips, rng):
        """Returns one window of each clip, float32 [N, bins, frames], rolled in time by chance."""
        rows = []
        for clip in clips:
            windows = self.windows_of_clip[clip]
            window = windows[rng.integers(len(windows))]
            part = self.parts[window // PART_WINDOWS][window % PART_WINDOWS]
            rows.append(numpy.roll(part, rng.integers(part.shape[1]), axis=1))
        return torch.from_numpy(numpy.stack(rows).astype(numpy.float32))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--windows", type=int, default=32_768)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    extract(arguments.work, arguments.windows, arguments.seed)
