"""Stage 8: writes what training says of FLAC files made by rule, which the appliance must say too.

`test/media/parity-media.ts` makes the files; test/models/parity-speech.test.ts and parity-daemon.test.ts compare. Speech
is found by hear-clips.ts; decoding, cutting, weighing and pooling are this folder's own.
"""

import argparse
import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

import numpy

from clips import CLIPS_FILE, VARIANTS_FOLDER
from export import LOGIT, MODEL_FILE, PARITY_FILE, make_scorers, to_pack_folder, to_rounded
from figures import to_log_odds
from hear import SCRIPT
from heard import HEARD_FOLDER
from packs import PACKS, TOGETHER, load_fits
from parity_sound import conclude, read_flac

VARIANT = "parity"


def place_windows(work, node, pack, sounds):
    """Returns of each sound its seconds of speech, and where the windows lie as [(offset, length)]."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / VARIANTS_FOLDER).mkdir()
        numpy.concatenate(sounds).tofile(folder / VARIANTS_FOLDER / f"{VARIANT}.s16")
        (folder / CLIPS_FILE).write_text(json.dumps({"clips": [{"length": len(sound)} for sound in sounds]}), encoding="utf-8")
        graph = to_pack_folder(work, pack.key) / MODEL_FILE
        layout = (str(pack.window_samples), str(pack.hop_samples))
        subprocess.run([node, SCRIPT, folder, graph, LOGIT, *layout, f"{VARIANT}={VARIANT}"], check=True)
        heard = json.loads((folder / HEARD_FOLDER / f"{VARIANT}.json").read_text(encoding="utf-8"))
    by_sound = [[] for _ in sounds]
    for owner, place in zip(heard["owners"], heard["ranges"]):
        by_sound[owner].append(place)
    return list(zip(heard["speechSeconds"], by_sound))


def judge(work, node, pack, sounds):
    """Returns of each sound what is written of it, and its calibrated log-odds."""
    scorer, calibration = make_scorers(work, node)[pack.key], load_fits(work, pack.key)["calibrations"][0]
    for sound, (speech_seconds, places) in zip(sounds, place_windows(work, node, pack, sounds)):
        samples = (sound / 32_768).astype(numpy.float32)
        # numpy.resize repeats a stretch that is shorter than the window.
        windows = numpy.stack([numpy.resize(samples[offset : offset + length], pack.window_samples) for offset, length in places])
        logits = to_rounded(scorer(windows))
        # The narrow band's part of the calibration is in the logit already.
        log_odds = to_log_odds(numpy.array([[numpy.mean(logits), 0, 0]]), calibration)[0]
        seen = {
            "samplesSha256": hashlib.sha256(samples.tobytes()).hexdigest(), "speechSeconds": speech_seconds,
            "ranges": [{"offset": offset, "length": length} for offset, length in places], "logits": logits, **conclude(log_odds),
        }
        yield seen, log_odds


def write_parity(work, node, media):
    paths = sorted(media.glob("*.flac"))
    if not paths:
        raise SystemExit(f"{media}: expected FLAC files, found none")
    sounds = [read_flac(path) for path in paths]
    judged = {key: list(judge(work, node, pack, sounds)) for key, pack in PACKS.items()}
    weights = load_fits(work, TOGETHER)["weights"]
    fused = [
        conclude(numpy.average([judged[key][number][1] for key in PACKS], weights=weights)) for number in range(len(paths))
    ]
    for key in PACKS:
        path = to_pack_folder(work, key) / PARITY_FILE
        known = json.loads(path.read_text(encoding="utf-8"))
        speech = [
            {"file": file.name, **seen, "together": together} for file, (seen, _), together in zip(paths, judged[key], fused)
        ]
        path.write_text(json.dumps({**known, "speech": speech}) + "\n", encoding="utf-8")
        print(key, [(row["file"], row["speechSeconds"], len(row["ranges"]), row["probability"]) for row in speech], flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--media", type=Path, required=True, help="what test/media/parity-media.ts wrote")
    parser.add_argument("--node", default="node", help="Node.js 24, with the repository's packages")
    arguments = parser.parse_args()
    write_parity(arguments.work, arguments.node, arguments.media)
