"""Owns the tiers in which clips are measured, what is cut from them, and how clips weigh."""

from dataclasses import dataclass

import numpy

from clips import RATE

SHORT_SECONDS = (1.2, 1.6)
"""What is cut from the middle of each clip, the lengths taking turns, to see what little speech tells."""


@dataclass(frozen=True)
class Tier:
    """`source` is the variant it is made of; with `band_hz` it is limited to that band and rounded to 16 bits."""

    name: str
    source: str
    band_hz: tuple
    description: str
    seconds: tuple = ()

    @property
    def variant(self):
        return f"tier-{self.name}" if self.band_hz else self.source


TIERS = (
    Tier("clean", "clean", (), "as found, 16 kHz"),
    Tier("mp3-64", "mp3-64", (), "MP3 at 64 kb/s"),
    Tier("telephone", "telephone-mulaw", (300, 3_400), "8 kHz, 300 to 3,400 Hz, µ-law"),
)
CONFOUND_TIERS = (Tier("one-band", "clean", (60, 7_000), "every clip limited to 60 to 7,000 Hz"),)
VOICE_TIER = Tier("voice-codec", "voice-codec", (), "Speex, GSM and G.723.1, taking turns")
SHORT_TIERS = (Tier("short", "clean", (), "1.2 or 1.6 s from the middle", SHORT_SECONDS),)
HEARD_TIERS = (*TIERS, *SHORT_TIERS, *CONFOUND_TIERS, VOICE_TIER)


def limit_band(sound, band):
    """Removes what lies outside the band, with edges of 60 Hz, for float samples."""
    spectrum = numpy.fft.rfft(sound)
    hertz = numpy.linspace(0, RATE / 2, len(spectrum))
    gain = 1 / (1 + numpy.exp(numpy.clip((band[0] - hertz) / 15, -40, 40)))
    gain /= 1 + numpy.exp(numpy.clip((hertz - band[1]) / 15, -40, 40))
    return numpy.fft.irfft(spectrum * gain, len(sound))


def make_tier_file(variants, tier, lengths):
    """Writes the samples of a tier that is no codec alone; one that is there is kept."""
    path = variants / f"{tier.variant}.s16"
    if path.exists() or not tier.band_hz:
        return
    source = numpy.fromfile(variants / f"{tier.source}.s16", dtype="<i2")
    result = numpy.zeros_like(source)
    for end, length in zip(numpy.cumsum(lengths), lengths):
        part = slice(end - length, end)
        limited = numpy.round(limit_band(source[part].astype(numpy.float64), tier.band_hz))
        result[part] = numpy.clip(limited, -32_768, 32_767)
    temporary = variants / f"{tier.variant}.tmp"
    result.tofile(temporary)
    temporary.rename(path)


def weigh(sources, is_artificial):
    """Each clip weighs 1/sqrt(size of its source); both labels weigh the same in all."""
    _, inverse, sizes = numpy.unique(sources, return_inverse=True, return_counts=True)
    weights = 1 / numpy.sqrt(sizes[inverse])
    for label in (False, True):
        weights[is_artificial == label] *= 0.5 / weights[is_artificial == label].sum()
    return weights
