/**
 * Entry of a decode child: reads hostile files in its slot folder (its working folder) and answers on the
 * channel. It is expected to crash now and then; what must not happen is that it answers wrongly and goes on.
 * So a fault that is not the file's own is reported and ends the process.
 */

import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { decodeAudio } from './decode-audio.ts';
import { decodeImage } from './decode-image.ts';
import { decodeVideo } from './decode-video.ts';
import { describeKept, describePicture } from './describe-picture.ts';
import { copyPatches, cutViews, forgetPicture } from './kept-picture.ts';
import { openGpu } from './libav/gpu.ts';
import { renderHeatmap } from './maps/heatmap.ts';
import { forgetGrey } from './maps/kept-grey.ts';
import { MediaFaultFound } from './media/media-fault.ts';
import type { ReportStep } from './media/progress.ts';
import type {
  DecodedFrame,
  DecodeRequest,
  DecodeResponse,
  PatchedPicture,
} from './protocol/decode-protocol.ts';
import { readMarks } from './read-marks.ts';
import { readProvenanceOnly } from './read-provenance.ts';
import { render } from './render.ts';
import { drawSheet } from './renditions/contact-sheet.ts';
import { sampleFrames } from './sample-frames.ts';
import { probe } from './steps/probe.ts';

/** `EX_SOFTWARE`: the child found a fault of its own. */
const EXIT_BROKEN = 70;

/** More than this is a large picture that no one needs any more. */
const EXTERNAL_BYTES_KEPT = 128 * 1024 ** 2;

const slotFolder = process.cwd();
let turn: Promise<void> = Promise.resolve();

process.on('message', (request: DecodeRequest) => {
  turn = turn.then(() => handle(request));
});
send({ type: 'ready' });

// A stop that reaches the whole group (Ctrl-C, a service manager) is the daemon's to carry out: it drains first.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});

async function handle(request: DecodeRequest): Promise<void> {
  if (request.type === 'shutdown') return process.disconnect();
  if (request.type === 'forget-picture') return forgetAll();
  try {
    send(await answer(request));
  } catch (error) {
    if (error instanceof MediaFaultFound) {
      return send({ type: 'failed', id: request.id, fault: error.fault, message: error.message });
    }
    breakDown(request.id, error);
  }
  // The collector does not see how much memory hangs on a small buffer object (isolation.ts gives the flag).
  if (getHeapStatistics().external_memory > EXTERNAL_BYTES_KEPT) globalThis.gc?.();
}

async function answer(
  request: Exclude<DecodeRequest, { type: 'shutdown' | 'forget-picture' }>,
): Promise<DecodeResponse> {
  const { id } = request;
  const report: ReportStep = (step, done, total) => send({ type: 'progress', id, step, done, total });
  const callbacks = {
    report,
    frame: (frame: DecodedFrame) => send({ type: 'frame', id, frame }),
    patched: (picture: PatchedPicture) => send({ type: 'patched', id, picture }),
  };
  switch (request.type) {
    case 'probe':
      return {
        type: 'probed',
        id,
        probe: await probe(join(slotFolder, 'in', request.input), request.limits),
      };
    case 'read-marks':
      return { type: 'read-marks', id, read: await readMarks(request, slotFolder) };
    case 'describe-picture':
      return { type: 'described-picture', id, asked: await describePicture(request, slotFolder) };
    case 'describe-kept':
      return { type: 'described-kept', id, likeness: await describeKept(request, slotFolder) };
    case 'read-provenance':
      return { type: 'read-provenance', id, provenance: await readProvenanceOnly(request, slotFolder) };
    case 'decode-image':
      return { type: 'decoded-image', id, image: await decodeImage(request, slotFolder, callbacks) };
    case 'decode-audio':
      return { type: 'decoded-audio', id, audio: await decodeAudio(request, slotFolder, report) };
    case 'decode-video':
      return { type: 'decoded-video', id, video: await decodeVideo(request, slotFolder, callbacks) };
    case 'find-gpu':
      return { type: 'found-gpu', id, fault: openGpu().fault };
    case 'sample-frames':
      return { type: 'sampled-frames', id, sampled: await sampleFrames(request, slotFolder, report) };
    case 'cut-views':
      return { type: 'cut-views', id, set: await cutViews(request, slotFolder) };
    case 'copy-patches':
      return { type: 'copied-patches', id, sets: await copyPatches(request, slotFolder) };
    case 'render':
      return { type: 'rendered', id, figures: await render(request, slotFolder, report) };
    case 'draw-sheet':
      return { type: 'rendered', id, figures: await drawSheet(request, slotFolder, report) };
    case 'render-heatmap':
      return { type: 'rendered-heatmap', id, heatmap: await renderHeatmap(request, slotFolder) };
  }
}

function forgetAll(): void {
  forgetPicture();
  forgetGrey();
}

function breakDown(id: number, error: unknown): void {
  process.exitCode = EXIT_BROKEN;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${error instanceof Error ? (error.stack ?? message) : message}\n`);
  process.send?.({ type: 'broken', id, message: message.slice(0, 500) } satisfies DecodeResponse, () =>
    process.disconnect(),
  );
}

function send(response: DecodeResponse): void {
  process.send?.(response);
}
