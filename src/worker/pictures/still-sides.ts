/** The sides of a picture as the media library shows it, upright. */
import { Container } from '../libav/container.ts';
import { displayOf, shownSides } from '../libav/display.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { MediaFaultFound } from '../media-fault.ts';

/** Decodes the picture: its header does not say how it is turned. */
export function readStillSides({ path, mime, format }: { path: string; mime: string; format: string }): {
  width: number;
  height: number;
} {
  using container = Container.open(path, { mime, name: format });
  const stream = container.video;
  if (stream === null) throw new MediaFaultFound('corrupt', `the ${format} data holds no picture`);
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  const frame = decoder.next();
  if (frame === null) throw new MediaFaultFound('corrupt', `the ${format} data is damaged or ends early`);
  return shownSides(frame, displayOf(stream, frame));
}
