"""Owns what counts as a clip of sound or of moving pictures, and its fingerprint."""

import io
import json
import re
import subprocess
import wave

import numpy as np

from pdq import hash_picture
from pictures import Refused

SOUND_EXTENSIONS = ("wav", "mp3", "flac", "ogg", "opus", "m4a", "aac", "oga")
VIDEO_EXTENSIONS = ("mp4", "webm", "mov", "mkv", "avi", "m4v")
SOUND_BYTES_MAX = 24_000_000
VIDEO_BYTES_MAX = 60_000_000
SECONDS_MIN = 1.0
VIDEO_SECONDS_MIN = 0.2
"""A few frames are enough to look at; interpolated clips have nine."""
VIDEO_SIDE_MIN = 160
TOOL_SECONDS_MAX = 60
LEFT_OUT_NAMES = re.compile(
    r"(^|[/_.-])(music|beep|noise|silence|click|ding|alarm|notification|sfx|bgm|song|piano|guitar|drum|sine|tone|chime|"
    r"bell|rain|whale|bird|dog|synth)([/_.\d-]|$)", re.IGNORECASE,
)

PRINT_RATE = 8000
PRINT_SECONDS = 8
PRINT_BANDS = 17
PRINT_STEPS = 17


def read_recording(content, path, temporary, media_kind):
    """Returns what a manifest says of a clip whose bytes lie at `temporary`. Raises Refused with the reason."""
    if content.startswith(b"version https://git-lfs"):
        raise Refused("lfs pointer")
    if len(content) < 4096:
        raise Refused("tiny file")
    if media_kind == "audio" and LEFT_OUT_NAMES.search(path):
        raise Refused("name")
    if media_kind == "audio":
        return read_plain_wave(content) or read_sound(_probe(temporary), temporary)
    return read_video(_probe(temporary), temporary)


def read_plain_wave(content):
    """Returns what a manifest says of a WAV file of 16-bit samples, without starting a decoder; None of any other file."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            channels, width, rate, frames = file.getparams()[:4]
            if width != 2 or not frames:
                return None
            raw = file.readframes(min(frames, rate * PRINT_SECONDS * 4))
    except (wave.Error, EOFError, RuntimeError):
        return None
    samples = np.frombuffer(raw[: len(raw) // (2 * channels) * 2 * channels], "<i2").reshape(-1, channels).mean(axis=1) / 32768
    said = {"seconds": f"{frames / rate:.2f}", "rate": rate, "channels": channels, "format": "wav/pcm_s16le"}
    return finish_sound(said, resample(samples, rate))


def resample(samples, rate):
    """Returns the samples at 8 kHz: the frequencies above are cut from the spectrum."""
    length = samples.size * PRINT_RATE // rate
    spectrum = np.fft.rfft(samples)[: length // 2 + 1]
    return np.fft.irfft(np.pad(spectrum, (0, length // 2 + 1 - spectrum.size)), length) * length / samples.size


def read_sound(probed, path):
    stream = next((one for one in probed.get("streams", []) if one.get("codec_type") == "audio"), None)
    if stream is None:
        raise Refused("no sound")
    said = {
        "seconds": f"{float(probed['format'].get('duration') or 0):.2f}", "rate": stream.get("sample_rate", ""),
        "channels": stream.get("channels", ""),
        "format": f"{probed['format'].get('format_name', '').split(',')[0]}/{stream.get('codec_name', '')}",
    }
    return finish_sound(said, _decode_sound(path))


def finish_sound(said, samples):
    """Adds the fingerprint of 8 kHz samples. Raises Refused where there is too little to hear."""
    if float(said["seconds"]) < SECONDS_MIN:
        raise Refused("short")
    if samples.size < PRINT_RATE * SECONDS_MIN or np.abs(samples).max() < 0.003:
        raise Refused("silent")
    return {**said, "print": hash_sound(samples), "quality": 100}


def read_video(probed, path):
    stream = next((one for one in probed.get("streams", []) if one.get("codec_type") == "video"), None)
    if stream is None:
        raise Refused("no pictures")
    seconds = float(probed["format"].get("duration") or 0)
    width, height = int(stream["width"]), int(stream["height"])
    if min(width, height) < VIDEO_SIDE_MIN:
        raise Refused("small")
    if seconds < VIDEO_SECONDS_MIN:
        raise Refused("short")
    frame = _decode_frame(path, min(seconds / 2, 30), width, height)
    print_, mirrored, quality = hash_picture(frame)
    numerator, _, denominator = stream.get("avg_frame_rate", "0/1").partition("/")
    rate = float(numerator) / float(denominator or 1) if float(denominator or 1) else 0
    return {
        "seconds": f"{seconds:.2f}", "width": width, "height": height, "fps": f"{rate:.2f}",
        "sound": "yes" if any(one.get("codec_type") == "audio" for one in probed["streams"]) else "no",
        "format": f"{probed['format'].get('format_name', '').split(',')[0]}/{stream.get('codec_name', '')}",
        "print": print_, "mirrored": mirrored, "quality": quality,
    }


def hash_sound(samples):
    """Returns 64 hexadecimal digits of 8 kHz samples: signs of how neighbouring bands change over the first 8 seconds.

    Silence before the sound is skipped. Copies of one recording in other codecs differ by a few bits; after Haitsma and
    Kalker, A Highly Robust Audio Fingerprinting System (2002), at a coarser step.
    """
    loud = np.flatnonzero(np.abs(samples) > 0.02 * np.abs(samples).max())
    samples = samples[loud[0] :][: PRINT_RATE * PRINT_SECONDS]
    frame = 1024
    starts = np.linspace(0, max(0, samples.size - frame), PRINT_STEPS * 4).astype(int)
    padded = np.pad(samples, (0, frame))
    power = np.abs(np.fft.rfft(np.stack([padded[start : start + frame] for start in starts]) * np.hanning(frame), axis=1)) ** 2
    edges = np.geomspace(200, 3600, PRINT_BANDS + 1) * frame / PRINT_RATE
    bands = np.stack([power[:, int(low) : int(high) + 1].sum(axis=1) for low, high in zip(edges, edges[1:])], axis=1)
    energy = np.log(bands.reshape(PRINT_STEPS, 4, PRINT_BANDS).sum(axis=1) + 1e-9)
    change = np.diff(np.diff(energy, axis=0), axis=1)
    return np.packbits((change > 0).ravel().astype(np.uint8)).tobytes().hex()


def _probe(path):
    answer = _run("ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", str(path))
    try:
        probed = json.loads(answer)
    except ValueError as error:
        raise Refused("unreadable") from error
    if "format" not in probed:
        raise Refused("unreadable")
    return probed


def _decode_sound(path):
    raw = _run(
        "ffmpeg", "-v", "error", "-nostdin", "-t", str(PRINT_SECONDS * 4), "-i", str(path), "-vn", "-ac", "1",
        "-ar", str(PRINT_RATE), "-f", "f32le", "-",
    )
    return np.frombuffer(raw[: len(raw) // 4 * 4], np.float32)


def _decode_frame(path, second, width, height):
    raw = _run(
        "ffmpeg", "-v", "error", "-nostdin", "-threads", "1", "-noautorotate", "-ss", f"{second:.2f}", "-i", str(path), "-frames:v", "1",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-",
    )
    if len(raw) != width * height * 3:
        raise Refused("unreadable")
    return np.frombuffer(raw, np.uint8).reshape(height, width, 3)


def _run(*command):
    try:
        return subprocess.run(
            [*command], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=TOOL_SECONDS_MAX
        ).stdout
    except subprocess.TimeoutExpired as error:
        raise Refused("slow") from error
