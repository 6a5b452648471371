"""Passes the clips through the codecs of voice radio and voice chat, which node-av cannot encode, with Debian's ffmpeg.

Every model accused people whom Speex or a CELP codec had coded: too few recordings hold them. The codecs take turns
over the clips of both labels alike, so that a codec says nothing of the origin.
"""

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy

RATE = 16_000
VARIANT = "voice-codec"


@dataclass(frozen=True)
class VoiceCodec:
    name: str
    rate: int
    container: str
    options: tuple


CODECS = (
    VoiceCodec("speex narrow", 8_000, "spx", ("-c:a", "libspeex", "-b:a", "11000")),
    VoiceCodec("speex wide", 16_000, "spx", ("-c:a", "libspeex", "-b:a", "20600")),
    VoiceCodec("g.723.1", 8_000, "mka", ("-c:a", "g723_1", "-b:a", "6300")),
    VoiceCodec("speex low", 8_000, "spx", ("-c:a", "libspeex", "-b:a", "5950")),
    VoiceCodec("gsm", 8_000, "gsm", ("-c:a", "libgsm")),
    VoiceCodec("speex wide low", 16_000, "spx", ("-c:a", "libspeex", "-b:a", "12800")),
)
LAG_SAMPLES_MAX = 1_600


def run_ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def pass_through(samples, codec, folder):
    """Returns int16 samples of the same length, coded and decoded, moved back by the codec's delay."""
    raw, coded, decoded = folder / "raw.s16", folder / f"coded.{codec.container}", folder / "decoded.s16"
    samples.tofile(raw)
    form = ("-f", "s16le", "-ar", RATE, "-ac", 1)
    run_ffmpeg(*form, "-i", raw, "-ar", codec.rate, *codec.options, coded)
    run_ffmpeg("-i", coded, *form, decoded)
    return align(numpy.fromfile(decoded, dtype="<i2"), samples)


def align(decoded, samples):
    """The delay is that of the strongest correlation; codecs keep the order of samples."""
    length = min(len(decoded), len(samples))
    first, second = (part[:length].astype(numpy.float64) for part in (samples, decoded))
    size = 1 << (length + LAG_SAMPLES_MAX - 1).bit_length()
    products = numpy.fft.irfft(numpy.conj(numpy.fft.rfft(first, size)) * numpy.fft.rfft(second, size))
    lag = int(numpy.argmax(products[:LAG_SAMPLES_MAX]))
    moved = decoded[lag : lag + len(samples)]
    return numpy.concatenate([moved, numpy.zeros(len(samples) - len(moved), dtype=numpy.int16)])


def make_variant(variants, lengths):
    """Writes VARIANT beside the clean samples: clip by clip, the codecs taking turns."""
    clean = numpy.fromfile(variants / "clean.s16", dtype="<i2")
    ends = numpy.cumsum(lengths)
    turn = numpy.arange(len(lengths)) % len(CODECS)
    result = numpy.zeros_like(clean)
    for number, codec in enumerate(CODECS):
        own = [slice(end - length, end) for end, length, chosen in zip(ends, lengths, turn) if chosen == number]
        with tempfile.TemporaryDirectory() as folder:
            coded = pass_through(numpy.concatenate([clean[part] for part in own]), codec, Path(folder))
        start = 0
        for part in own:
            count = part.stop - part.start
            result[part] = coded[start : start + count]
            start += count
        print(f"{codec.name}: {len(own)} clips", flush=True)
    temporary = variants / f"{VARIANT}.tmp"
    result.tofile(temporary)
    temporary.rename(variants / f"{VARIANT}.s16")
