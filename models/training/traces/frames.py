"""Keeps what the lower blocks make of patches of frames of clips, as found and recompressed, for `frame_heads.py`.

Clips of the corpus' inside harvest and, where they are at hand, the older ones of `video-clips/`. One cache file a clip;
what is there stays. A frame is looked at where it has the most detail. Needs ffmpeg on the path.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from index import list_corpus, read_table  # noqa: E402
from places import choose_richest  # noqa: E402
from texture import is_refused, measure_texture  # noqa: E402
from tokens import open_lower  # noqa: E402

CLIPS_PER_SOURCE = 1
FRAME_COUNT = 3
PATCHES_PER_FRAME = 4
SECONDS_MAX = 5
"""Of a clip: recompressing is most of the time."""
SHORT_SIDE_MIN = 240
"""The appliance judges no clip of fewer lines."""
RECOMPRESSED = ("-an", "-vf", r"fps='min(source_fps,12)',scale='if(gte(iw,ih),-2,trunc(min(480,iw)/2)*2)':'if(gte(iw,ih),trunc(min(480,ih)/2)*2,-2)',format=yuv420p")
"""As evaluate/recompress-process.ts writes a clip again."""
CRF = ("-c:v", "libx264", "-crf", "28")
SAME_SCENES = {"sora2das": "das", "das-gt": "das", "veo3abhi": "veo-docs", "veo3-abhi10000": "veo-docs"}
"""Sources under different names that show the same scenes or come from one page; an edit's original has its name and `-src`."""


def list_clips(manifest, corpus, older, count_max=CLIPS_PER_SOURCE):
    """Returns the first clips of each source, the first of every source before the second of any: a part of them is a fair part."""
    rows = list(list_corpus(manifest, corpus, "inside"))
    for row in read_table(older / "files.tsv") if older else ():
        rows.append({**row, "owner": f"older:{row['source'].removesuffix('-src')}", "group": "", "file": str(older / row["file"])})
    for row in rows:
        row["group"] = SAME_SCENES.get(row["source"], row["group"] or re.sub("-(src|page)$", "", row["source"]))
    by_source = {}
    for row in sorted(rows, key=lambda row: row["file"]):
        if Path(row["file"]).exists():
            by_source.setdefault((row["label"], row["source"], row["owner"]), []).append(row)
    return [row for number in range(count_max) for found in by_source.values() for row in found[number : number + 1]]


def ffmpeg(*arguments):
    subprocess.run(("ffmpeg", "-nostdin", "-v", "error", "-threads", "1", "-y", *arguments), check=True, timeout=300)


def take_frames(clip, folder):
    """Returns frames at even distances, away from either end."""
    asked = ("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", str(clip))
    seconds = min(SECONDS_MAX, float(subprocess.run(asked, check=True, capture_output=True, text=True, timeout=60).stdout))
    frames = []
    for number in range(FRAME_COUNT):
        out = folder / f"{number}.png"
        ffmpeg("-ss", f"{seconds * (number + 0.5) / FRAME_COUNT:.3f}", "-i", str(clip), "-frames:v", "1", str(out))
        if out.exists():
            with Image.open(out) as opened:
                frames.append(numpy.asarray(opened.convert("RGB")))
            out.unlink()
    return frames


def see_clip(row, see):
    """Returns (tokens, [[state, frame, shipped logit], …])."""
    patches, described = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        again = folder / "again.mp4"
        ffmpeg("-t", str(SECONDS_MAX), "-i", row["file"], *RECOMPRESSED, *CRF, str(again))
        for state, clip in (("found", row["file"]), ("recompressed", again)):
            for number, pixels in enumerate(take_frames(clip, folder)):
                if min(pixels.shape[:2]) < SHORT_SIDE_MIN:
                    continue
                _, part = choose_richest(pixels, PATCHES_PER_FRAME)
                if not is_refused(measure_texture(part)):
                    patches.append(part)
                    described += [[state, number]] * len(part)
    if not patches:
        return None, []
    tokens, logits = see(numpy.concatenate(patches))
    return tokens, [[*what, round(float(logit), 5)] for what, logit in zip(described, logits)]


def run(arguments):
    see = open_lower(arguments.model)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for row in list_clips(arguments.manifest, arguments.corpus, arguments.older, arguments.clips):
        target = arguments.out / f"{row['label']}--{row['source']}--{Path(row['file']).stem}".replace(".", "_")
        if target.with_suffix(".json").exists():
            continue
        try:
            tokens, described = see_clip(row, see)
        except (subprocess.SubprocessError, ValueError) as error:
            print(f"left out: {row['file']}: {error}", flush=True)
            continue
        if tokens is not None:
            numpy.save(target.with_suffix(".npy"), tokens)
        about = {key: row[key] for key in ("label", "source", "owner", "group", "family")}
        target.with_suffix(".json").write_text(json.dumps(about | {"patches": described}), encoding="utf-8")
        print(f"{target.name}: {len(described)} patches", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", type=Path, required=True, help="manifests/video.tsv of the corpus")
    parser.add_argument("--corpus", type=Path, required=True, help="folder that the manifest's files are relative to")
    parser.add_argument("--older", type=Path, help="video-clips/ of the older collection")
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of the pack whose lower blocks stay")
    parser.add_argument("--clips", type=int, default=CLIPS_PER_SOURCE, help="of a source")
    parser.add_argument("--out", type=Path, required=True)
    run(parser.parse_args())
