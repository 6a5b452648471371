"""What most people would write: FastAPI, Pillow and onnxruntime in one process. Arguments: the model, a port.

It decodes the whole picture, takes sixteen patches of 128 pixels on a grid, asks the model once and answers the mean.
No accounts, no store, no bound on what a file may do to the decoder.
"""

import io
import sys

import numpy
import onnxruntime
import uvicorn
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from PIL import Image

SIZE = 128
SIDE_COUNT = 4

app = FastAPI()
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])


def judge(data: bytes) -> float:
    pixels = numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    height, width, _ = pixels.shape
    lefts = numpy.linspace(0, width - SIZE, SIDE_COUNT).astype(int)
    tops = numpy.linspace(0, height - SIZE, SIDE_COUNT).astype(int)
    patches = [pixels[top : top + SIZE, left : left + SIZE] for top in tops for left in lefts]
    batch = numpy.stack(patches).astype(numpy.float32).transpose(0, 3, 1, 2) / 255
    (logits,) = session.run(None, {session.get_inputs()[0].name: batch})
    return float(logits.mean())


@app.post("/")
async def classify(request: Request) -> dict[str, float]:
    return {"logit": await run_in_threadpool(judge, await request.body())}


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
