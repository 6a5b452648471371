/** A file that must be a video: opened, with its length. */
import { openGpu } from '../libav/gpu.ts';
import { MediaFile, type Reading } from '../libav/media-file.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { measureTimeSpan, type TimeSpan } from '../libav/time-span.ts';
import { readMediaType, refuseKind } from '../pictures/media-header.ts';
import type { VideoDecoder } from '../protocol/decoded-media.ts';
import { checkStreams } from './probe-container.ts';

export class VideoFile implements Disposable {
  readonly media: MediaFile;
  readonly mime: string;
  readonly span: TimeSpan;

  private constructor(media: MediaFile, mime: string, span: TimeSpan) {
    this.media = media;
    this.mime = mime;
    this.span = span;
  }

  /** Throws MediaFaultFound if it is no video. */
  static async open(path: string): Promise<VideoFile> {
    const type = readMediaType(path);
    if (type.kind === 'image') throw refuseKind('video', `a ${type.name} picture`);
    const media = new MediaFile(path, type);
    try {
      const { kind, mime, name } = checkStreams(media.container, type);
      const video = media.from('video');
      if (kind !== 'video' || video === null) throw refuseKind('video', `${name} with sound only`);
      return new VideoFile(media, mime, measureTimeSpan(video.container, video.stream, path));
    } catch (error) {
      media[Symbol.dispose]();
      throw error;
    }
  }

  /** The picture from its beginning; what was read before is at an end. */
  read(): Reading {
    const video = this.media.from('video');
    if (video === null) throw new Error('the video went away');
    return video;
  }

  [Symbol.dispose](): void {
    this.media[Symbol.dispose]();
  }
}

/** On the GPU if that is wanted and there is one. */
export function openDecoder({ container, stream }: Reading, wanted: VideoDecoder): StreamDecoder {
  return new StreamDecoder(container, stream, wanted === 'nvdec' ? openGpu().device : null);
}
