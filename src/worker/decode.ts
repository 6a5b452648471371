/** Entry of a decode child, which reads hostile files: a fault that is not the file's own is reported and ends it. */
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { NO_TRUST, type TrustMaterial } from '../domain/provenance/trust-list.ts';
import { copyPatches, cutViews, forgetPicture } from './kept-picture.ts';
import { forgetGrey } from './maps/kept-grey.ts';
import { MediaFaultFound } from './media/media-fault.ts';
import type { ReportStep } from './media/progress.ts';
import type { DecodeRequest, DecodeResponse, SentRequest } from './protocol/decode-protocol.ts';
import type { Answered, DecodeAnswer, DecodedFrame, PatchedPicture } from './protocol/decoded-media.ts';
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
    send({ type: 'answered', id: request.id, answer: await answer(whole) });
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
): Promise<DecodeAnswer<Answered>> {
  const callbacks = callbacksOf(request.id);
  const { report } = callbacks;
  // Each part is loaded at its first request: a child that sees pictures alone needs neither films nor sound.
  switch (request.type) {
    case 'probe':
      return { probe: await probe(inputOf(request), request.limits) };
    case 'read-marks':
      return { read: await (await import('./read-marks.ts')).readMarks(request, slotFolder) };
    case 'describe-picture':
      return { asked: await (await import('./describe-picture.ts')).describePicture(request, slotFolder) };
    case 'describe-kept':
      return { picture: await (await import('./describe-picture.ts')).describeKept(request, slotFolder) };
    case 'read-provenance': {
      const { readProvenanceOnly } = await import('./read-provenance.ts');
      return { provenance: await readProvenanceOnly(request, slotFolder) };
    }
    case 'decode-image':
      return { image: await (await import('./decode-image.ts')).decodeImage(request, slotFolder, callbacks) };
    case 'decode-audio':
      return { audio: await (await import('./decode-audio.ts')).decodeAudio(request, slotFolder, report) };
    case 'decode-video':
      return { video: await (await import('./decode-video.ts')).decodeVideo(request, slotFolder, callbacks) };
    case 'find-gpu':
      return { fault: (await import('./libav/gpu.ts')).openGpu().fault };
    case 'sample-frames':
      return {
        sampled: await (await import('./sample-frames.ts')).sampleFrames(request, slotFolder, report),
      };
    case 'cut-views':
      return { set: await cutViews(request, slotFolder) };
    case 'copy-patches':
      return { sets: await copyPatches(request, slotFolder) };
    case 'render':
      return { figures: await (await import('./render.ts')).render(request, slotFolder, report) };
    case 'draw-sheet': {
      const { drawSheet } = await import('./renditions/contact-sheet.ts');
      return { figures: await drawSheet(request, slotFolder, report) };
    }
    case 'render-heatmap':
      return { heatmap: await (await import('./maps/heatmap.ts')).renderHeatmap(request, slotFolder) };
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
