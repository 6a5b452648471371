/** Small views of more frames than will be analysed, so that the better ones can be preferred. */
import { join } from 'node:path';
import { assertFrameBounds, toUprightPicture } from './libav/frame-picture.ts';
import { PlayedFrames } from './libav/played-frames.ts';
import type { ReportStep } from './media/progress.ts';
import type { SampleFramesRequest } from './protocol/decode-protocol.ts';
import type { SampledFrame, SampledFrames } from './protocol/decoded-media.ts';
import { timeChooser } from './steps/frame-choice.ts';
import { VideoFile } from './steps/video-file.ts';
import { writeViewSet } from './steps/views.ts';

/** Twice the side that a detector takes: its second level then looks at the frame's own pixels. */
const SIDE_MAX = 512;

export async function sampleFrames(
  request: SampleFramesRequest,
  slotFolder: string,
  report: ReportStep,
): Promise<SampledFrames> {
  using file = await VideoFile.open(join(slotFolder, 'in', request.input));
  const { choice, samplesPerFrame } = request;
  const choose = timeChooser({ file: file.played, choice, report: () => {} });
  const regularSeconds = choose(choice.countMax);
  const times = new Set([...regularSeconds, ...choose(choice.countMax * samplesPerFrame)]);
  const ascending = [...times].sort((one, other) => one - other);
  const samples = await takeSamples(request, file, ascending, { folder: join(slotFolder, 'out'), report });
  return { regularSeconds, samples };
}

async function takeSamples(
  { limits, viewSet, decoder }: SampleFramesRequest,
  file: VideoFile,
  times: readonly number[],
  { folder, report }: { folder: string; report: ReportStep },
): Promise<SampledFrame[]> {
  using frames = new PlayedFrames(file.played, { wanted: decoder });
  const samples: SampledFrame[] = [];
  for (const [index, time] of times.entries()) {
    report('frame-choice', index, times.length);
    const shown = frames.frameAt(time);
    if (shown === null) continue;
    assertFrameBounds(shown.frame, shown.display, limits);
    const picture = toUprightPicture(shown.frame, shown.display, 'rgb24', SIDE_MAX);
    const set = await writeViewSet(picture, viewSet, folder, `sample-${index}-`);
    samples.push({ timeSeconds: shown.timeSeconds, set });
  }
  return samples;
}
