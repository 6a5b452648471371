/** Small views of more frames than will be analysed, so that those which show something wanted can be preferred. */
import { join } from 'node:path';
import { displayOf } from './libav/display.ts';
import { assertFrameBounds, toUprightPicture } from './libav/frame-picture.ts';
import { FrameWalk } from './libav/frame-walk.ts';
import type { ReportStep } from './media/progress.ts';
import type { SampleFramesRequest } from './protocol/decode-protocol.ts';
import type { SampledFrame, SampledFrames } from './protocol/decoded-media.ts';
import { timeChooser } from './steps/frame-choice.ts';
import { openDecoder, VideoFile } from './steps/video-file.ts';
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
  const choose = timeChooser({ open: () => file.read(), span: file.span, choice, report: () => {} });
  const regularSeconds = choose(choice.countMax);
  const times = new Set([...regularSeconds, ...choose(choice.countMax * samplesPerFrame)]);
  const ascending = [...times].sort((one, other) => one - other);
  const samples = await takeSamples(request, file, ascending, { folder: join(slotFolder, 'out'), report });
  return { regularSeconds, samples };
}

async function takeSamples(
  { limits, viewSet, decoder: wanted }: SampleFramesRequest,
  file: VideoFile,
  times: readonly number[],
  { folder, report }: { folder: string; report: ReportStep },
): Promise<SampledFrame[]> {
  const { container, stream } = file.read();
  using decoder = openDecoder({ container, stream }, wanted);
  using walk = new FrameWalk(container, stream, decoder, file.span);
  const samples: SampledFrame[] = [];
  for (const [index, time] of times.entries()) {
    report('frame choice', index, times.length);
    const shown = walk.frameAt(time);
    if (shown === null) continue;
    const display = displayOf(stream, shown.frame);
    assertFrameBounds(shown.frame, display, limits);
    const picture = toUprightPicture(shown.frame, display, 'rgb24', SIDE_MAX);
    const set = await writeViewSet(picture, viewSet, folder, `sample-${index}-`);
    samples.push({ timeSeconds: shown.timeSeconds, set });
  }
  return samples;
}
