/** Chooses the frames of a video that show faces, if there are any near the usual times. */
import type { FaceDetectorPack } from '../../domain/packs/model-pack.ts';
import type { ChosenFrames, FrameChoice } from '../../worker/protocol/decode-protocol.ts';
import type { SampledFrame } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import { DECODE_LIMITS } from '../decode/decode-limits.ts';
import type { AnalysisSlot, DecodeProgress } from '../decode/decode-slot.ts';
import { type AnalysisParts, type Attempt, settled } from './analysis-parts.ts';
import { toViewSet } from './axis.ts';
import { detectFaces } from './face-axis.ts';

/** The regular frame and one on either side; each costs a seek, so 30 frames cost three times their decoding. */
const SAMPLES_PER_FRAME = 3;

export interface FaceFrameWork {
  slot: AnalysisSlot;
  input: string;
  choice: ChosenFrames;
  detector: FaceDetectorPack;
  onProgress: (progress: DecodeProgress) => void;
}

/** Returns the given choice if no face was found. */
export async function chooseFaceFrames(
  parts: AnalysisParts,
  { signal }: Attempt,
  { slot, input, choice, detector, onProgress }: FaceFrameWork,
): Promise<FrameChoice> {
  const { sampled } = await slot.request(
    {
      type: 'sample-frames',
      input,
      limits: DECODE_LIMITS,
      choice,
      samplesPerFrame: SAMPLES_PER_FRAME,
      viewSet: toViewSet(detector),
      decoder: parts.videoDecoder,
    },
    { signal, timeoutMs: parts.decodeTimeoutMs, onProgress },
  );
  const { regularSeconds, samples } = sampled;
  // The child has read hostile bytes, so its answer may hold only what was asked for.
  if (regularSeconds.length > choice.countMax || samples.length > choice.countMax * (SAMPLES_PER_FRAME + 1)) {
    throw new WorkerLostError('broken', 'the decoder made more samples than it was asked for');
  }
  const looked = samples.map((sample) => look(parts, slot, { sample, detector, signal }));
  return { method: 'at', times: preferFaces(regularSeconds, await settled(looked)) };
}

async function look(
  parts: AnalysisParts,
  slot: AnalysisSlot,
  { sample, detector, signal }: { sample: SampledFrame; detector: FaceDetectorPack; signal: AbortSignal },
): Promise<FrameSample> {
  const { timeSeconds, set } = sample;
  const picture = { width: set.width, height: set.height, patchSets: [set] };
  const faces = await detectFaces(parts, { slot, picture, signal }, detector);
  return { timeSeconds, hasFace: faces.length > 0 };
}

interface FrameSample {
  /** From the video's beginning. */
  timeSeconds: number;
  hasFace: boolean;
}

/** For each regular time the nearest sample with a face, if nearer to it than to any other; else the time itself. */
export function preferFaces(regular: readonly number[], samples: readonly FrameSample[]): number[] {
  const withFace = samples.filter(({ hasFace }) => hasFace).map(({ timeSeconds }) => timeSeconds);
  return regular.map((time) => {
    const own = withFace.filter((other) => nearest(regular, other) === time);
    return own.length === 0 ? time : nearest(own, time);
  });
}

/** The nearest time; the earlier if two are equally near. */
function nearest(times: readonly number[], to: number): number {
  return times.reduce((best, time) => (Math.abs(time - to) < Math.abs(best - to) ? time : best));
}
