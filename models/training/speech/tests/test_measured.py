"""What an appliance answered is read as it was said, and a clip that was not answered for is not passed over."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy

sys.path.insert(0, str(Path(__file__).parent.parent))

from figures import NO_ANSWER  # noqa: E402
from measured import read_answers  # noqa: E402
from scoring import TIERS  # noqa: E402

FILES = ("human/a/1.flac", "artificial/b/1.flac")
COLLECTION = SimpleNamespace(rows=[{"file": file} for file in FILES])


def make_line(file, tier, probability):
    answered = probability is not None
    models = {"assay-speech-statistics@9.0.0": 0.25, "assay-speech-encoder@9.0.0": 0.75} if answered else {}
    state = "not_applicable" if not answered else "artificial" if probability > 0.5 else "inconclusive"
    called = ["balanced"] if state == "artificial" else []
    return {"path": file, "tier": tier, "probability": probability, "state": state, "called": called, "models": models}


def read(lines):
    with tempfile.TemporaryDirectory() as name:
        text = "\n".join(json.dumps(line) for line in ({"about": "", "begunAt": ""}, *lines))
        (Path(name) / "measurements.jsonl").write_text(text, encoding="utf-8")
        return read_answers(Path(name), COLLECTION)


class Measured(unittest.TestCase):
    def test_answers_and_silence(self):
        # In another order than the clips', as several jobs write them; a file that failed first is tried again.
        lines = [make_line(file, tier.name, value) for tier in TIERS for file, value in ((FILES[1], 0.8), (FILES[0], None))]
        found = read([{"path": FILES[1], "tier": "clean", "error": "busy"}, *lines])["clean"]
        numpy.testing.assert_allclose(found.fused, [NO_ANSWER, numpy.log(4)])
        numpy.testing.assert_allclose(found.single, [[NO_ANSWER] * 2, [numpy.log(3), -numpy.log(3)]])
        self.assertEqual(found.called["balanced"].tolist(), [False, True])
        self.assertEqual(found.called["cautious"].tolist(), [False, False])
        self.assertEqual(found.sides.tolist(), [0, 1])
        self.assertEqual(found.answered.tolist(), [False, True])

    def test_a_clip_without_a_record_is_an_error(self):
        lines = [make_line(file, tier.name, 0.8) for tier in TIERS for file in FILES]
        with self.assertRaises(SystemExit):
            read(lines[:-1])


if __name__ == "__main__":
    unittest.main()
