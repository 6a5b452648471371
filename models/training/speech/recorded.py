"""Owns what record-windows.ts wrote: windows of 2 s of whole files in three tiers, of which label, source and owner, and draws of them."""

import csv
import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).parent.parent / "corpus"))
from manifests import read_manifest  # noqa: E402
from owners import owner_of  # noqa: E402

TIERS = ("clean", "mp3-64", "telephone")
CODED_TIERS = ("speex", "gsm", "amr", "codec2", "opus", "g72x", "lost-packets", "denoised")
"""Those of evaluate/voice-codecs.ts: learnt from where they were recorded, no calibration or bound rests on them."""
SCORED_TIERS = (*TIERS, "one-band")
"""The last one only shows what the models lean on: nothing learns from it."""
ALL_TIERS = (*SCORED_TIERS, *CODED_TIERS)
SAMPLES = 32_000
PART_COUNT = 3
FULL_SCALE = 32_768
FAMILIES_FILE = Path(__file__).parent / "families.tsv"
SPEECH_SECONDS_MIN = 1.0

NOISE_CHANCE, FILTER_CHANCE, BAND_CHANCE = 0.3, 0.5, 0.25
SNR_DB = (12.0, 40.0)
TILT_DB = 6.0
"""How far each of the knots of a drawn equaliser lies from even, at most."""
KNOTS = 9
BAND_HZ = (3_000.0, 7_900.0)
RATE = 16_000


def to_part(owner):
    """Returns which third an owner lies in: the SHA-256 of the name decides; the two labels of one owner lie together."""
    return hashlib.sha256(f"thirds:{owner.lower()}".encode()).digest()[0] % PART_COUNT


class Recorded:
    """Rows, a file in a tier each, and their windows."""

    def __init__(self, folder, data, harvest="inside"):
        known = read_known(data, harvest)
        self.files, self.tiers, self.seconds, self.bands, self.stretches, self.blocks = [], [], [], [], [], []
        for number, path in enumerate(sorted(folder.glob("*.jsonl"))):
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            stored = numpy.memmap(path.with_suffix(".i16"), dtype="<i2", mode="r")
            stored = stored[: len(stored) // SAMPLES * SAMPLES].reshape(-1, SAMPLES)
            self.blocks.append(stored)
            at = 0
            for line in lines:
                count = line["windows"]
                if count and at + count <= len(stored) and line["file"] in known and line["speechSeconds"] >= SPEECH_SECONDS_MIN:
                    self.files.append(line["file"])
                    self.tiers.append(ALL_TIERS.index(line["tier"]))
                    self.seconds.append(line["speechSeconds"])
                    band = line.get("upperBandDb")
                    self.bands.append(numpy.nan if band is None else band)
                    self.stretches.append((number, at, count))
                at += count
        self.tiers, self.seconds, self.bands = numpy.array(self.tiers), numpy.array(self.seconds), numpy.array(self.bands, dtype=float)
        described = [known[file] for file in self.files]
        self.is_artificial = numpy.array([label == "artificial" for label, _, _ in described])
        self.sources = numpy.array([f"{label}/{source}" for label, source, _ in described])
        self.owners = numpy.array([f"{label}/{owner}" for label, _, owner in described])
        self.parts = numpy.array([to_part(owner) for _, _, owner in described])

    def read(self, row, which):
        """Returns one window of a row, float samples in -1..1."""
        block, at, _ = self.stretches[row]
        return self.blocks[block][at + which].astype(numpy.float32) / FULL_SCALE

    def count(self, row):
        return self.stretches[row][2]


def read_known(data, harvest="inside"):
    """Returns {file: (label, source, owner)}: sources of one family at hand are one owner."""
    families = read_families()
    with open(data / "files.tsv", newline="", encoding="utf-8") as stream:
        known = {row["file"]: (row["label"], row["source"], to_unit(row["source"], families)) for row in csv.DictReader(stream, delimiter="\t")}
    for row in read_manifest("speech"):
        if row["harvest"] == harvest:
            known[row["file"]] = (row["label"], row["source"], owner_of(row["repository"]))
    return known


def read_families():
    """Returns (compiled pattern, family) pairs in the order of the file."""
    with open(FAMILIES_FILE, newline="", encoding="utf-8") as stream:
        return [(re.compile(row["pattern"]), row["family"]) for row in csv.DictReader(stream, delimiter="\t")]


def to_unit(source, families):
    """Returns what is never split: the family of sources of one site, else the source."""
    return next((family for pattern, family in families if pattern.search(source)), source)


def to_chances(recorded, members):
    """Labels alike, of a label owners by the root of their sources, sources by the root of their rows: what a draw takes a row with.

    One page that shows twelve systems over the same sentences must not count for twelve.
    """
    chances = numpy.zeros(len(recorded.files))
    sources, inverse, sizes = numpy.unique(recorded.sources[members], return_inverse=True, return_counts=True)
    owner_of_source = dict(zip(recorded.sources[members], recorded.owners[members]))
    counts = Counter(owner_of_source.values())
    beside = numpy.array([counts[owner_of_source[source]] for source in sources])
    chances[members] = (1 / numpy.sqrt(sizes * beside))[inverse]
    for side in (False, True):
        own = recorded.is_artificial == side
        chances[own] *= 0.5 / chances[own].sum()
    return chances


def draw_batch(recorded, chances, count, random):
    """Returns (sound [count, SAMPLES], labels), each window through a chain that does not know its label."""
    rows = random.choice(len(chances), count, p=chances)
    sound = numpy.stack([change(recorded.read(row, random.integers(recorded.count(row))), random) for row in rows])
    return sound, recorded.is_artificial[rows].astype(numpy.float32)


def change(window, random):
    """Turns the wave over, equalises it, limits its band, adds noise: each by chance."""
    if random.random() < 0.5:
        window = -window
    wants_filter, wants_band, wants_noise = (random.random() < chance for chance in (FILTER_CHANCE, BAND_CHANCE, NOISE_CHANCE))
    if not (wants_filter or wants_band or wants_noise):
        return window
    spectrum = numpy.fft.rfft(window)
    hertz = numpy.linspace(0, RATE / 2, len(spectrum))
    if wants_noise:
        spectrum += draw_noise(spectrum, hertz, random)
    if wants_filter:
        knots = random.uniform(-TILT_DB, TILT_DB, KNOTS)
        spectrum *= 10 ** (numpy.interp(hertz, numpy.linspace(0, RATE / 2, KNOTS), knots) / 20)
    if wants_band:
        spectrum *= 1 / (1 + numpy.exp(numpy.clip((hertz - random.uniform(*BAND_HZ)) / 30, -40, 40)))
    return numpy.fft.irfft(spectrum, len(window)).astype(numpy.float32)


def draw_noise(spectrum, hertz, random):
    """Noise between white and pink, as loud as a drawn distance from the sound."""
    noise = (random.standard_normal(len(spectrum)) + 1j * random.standard_normal(len(spectrum))) * (hertz + 50) ** -random.uniform(0, 0.5)
    power = numpy.mean(numpy.abs(spectrum) ** 2) / numpy.mean(numpy.abs(noise) ** 2)
    return noise * numpy.sqrt(power) * 10 ** (-random.uniform(*SNR_DB) / 20)
