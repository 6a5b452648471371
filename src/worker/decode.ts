/** Entry of a decode child, which reads hostile files: a fault that is not the file's own is reported and ends it. */
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { NO_TRUST, type TrustMaterial } from '../domain/provenance/trust-list.ts';
import { copyPatches, cutViews, forgetPicture } from './kept-picture.ts';
import { forgetGrey } from './maps/kept-grey.ts';
import { MediaFaultFound } from './media/media-fault.ts';
import type { ReportStep } from './media/progress.ts';
import type { DecodeRequest, DecodeResponse, SentRequest } from './protocol/decode-protocol.ts';
import type { DecodedFrame, PatchedPicture } from './protocol/decoded-media.ts';
import { probe } from './steps/probe.ts';

/** `EX_SOFTWARE`: the child found a fault of its own. */
const EXIT_BROKEN = 70;

/** More than this is a large picture that is no longer needed. */
const EXTERNAL_BYTES_KEPT = 128 * 1024 ** 2;

const slotFolder = process.cwd();
let turn: Promise<void> = Promise.resolve();
let trust: TrustMaterial = NO_TRUST;

process.on('message', (request: SentRequest) => {
  turn = turn.then(() => handle(request));
});
send({ type: 'ready' });

// The daemon carries out a stop that reaches the whole process group (Ctrl-C, a service manager): it drains first.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});

async function handle(request: SentRequest): Promise<void> {
  if (request.type === 'shutdown') return process.disconnect();
  if (request.type === 'forget-picture') return forgetAll();
  if (request.type === 'trust') {
    trust = request.trust;
    return;
  }
  try {
    const whole = { ...request, trust };
    send(await answer(whole));
  } catch (error) {
    if (error instanceof MediaFaultFound) {
      return send({ type: 'failed', id: request.id, fault: error.fault, message: error.message });
    }
    breakDown(request.id, error);
  }
  // The collector does not see the memory behind a small buffer object, so it is run here (isolation.ts gives the flag).
  if (getHeapStatistics().external_memory > EXTERNAL_BYTES_KEPT) globalThis.gc?.();
}

async function answer(
  request: Exclude<DecodeRequest, { type: 'shutdown' | 'forget-picture' }>,
): Promise<DecodeResponse> {
  const { id } = request;
  const callbacks = callbacksOf(id);
  const { report } = callbacks;
  // Each part is loaded at its first request: a child that sees pictures alone needs neither films nor sound.
  switch (request.type) {
    case 'probe':
      return { type: 'probed', id, probe: await probe(inputOf(request), request.limits) };
    case 'read-marks': {
      const { readMarks } = await import('./read-marks.ts');
      return { type: 'read-marks', id, read: await readMarks(request, slotFolder) };
    }
    case 'describe-picture': {
      const { describePicture } = await import('./describe-picture.ts');
      return { type: 'described-picture', id, asked: await describePicture(request, slotFolder) };
    }
    case 'describe-kept': {
      const { describeKept } = await import('./describe-picture.ts');
      return { type: 'described-kept', id, picture: await describeKept(request, slotFolder) };
    }
    case 'read-provenance': {
      const { readProvenanceOnly } = await import('./read-provenance.ts');
      return { type: 'read-provenance', id, provenance: await readProvenanceOnly(request, slotFolder) };
    }
    case 'decode-image': {
      const { decodeImage } = await import('./decode-image.ts');
      return { type: 'decoded-image', id, image: await decodeImage(request, slotFolder, callbacks) };
    }
    case 'decode-audio': {
      const { decodeAudio } = await import('./decode-audio.ts');
      return { type: 'decoded-audio', id, audio: await decodeAudio(request, slotFolder, report) };
    }
    case 'decode-video': {
      const { decodeVideo } = await import('./decode-video.ts');
      return { type: 'decoded-video', id, video: await decodeVideo(request, slotFolder, callbacks) };
    }
    case 'find-gpu': {
      const { openGpu } = await import('./libav/gpu.ts');
      return { type: 'found-gpu', id, fault: openGpu().fault };
    }
    case 'sample-frames': {
      const { sampleFrames } = await import('./sample-frames.ts');
      return { type: 'sampled-frames', id, sampled: await sampleFrames(request, slotFolder, report) };
    }
    case 'cut-views':
      return { type: 'cut-views', id, set: await cutViews(request, slotFolder) };
    case 'copy-patches':
      return { type: 'copied-patches', id, sets: await copyPatches(request, slotFolder) };
    case 'render': {
      const { render } = await import('./render.ts');
      return { type: 'rendered', id, figures: await render(request, slotFolder, report) };
    }
    case 'draw-sheet': {
      const { drawSheet } = await import('./renditions/contact-sheet.ts');
      return { type: 'rendered', id, figures: await drawSheet(request, slotFolder, report) };
    }
    case 'render-heatmap': {
      const { renderHeatmap } = await import('./maps/heatmap.ts');
      return { type: 'rendered-heatmap', id, heatmap: await renderHeatmap(request, slotFolder) };
    }
  }
}

function callbacksOf(id: number) {
  const report: ReportStep = (step, done, total) => send({ type: 'progress', id, step, done, total });
  const frame = (one: DecodedFrame) => send({ type: 'frame', id, frame: one });
  const patched = (picture: PatchedPicture) => send({ type: 'patched', id, picture });
  return { report, frame, patched };
}

function inputOf({ input }: { input: string }): string {
  return join(slotFolder, 'in', input);
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
