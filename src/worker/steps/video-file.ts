/** A file that must be a video: opened, with its length. */
import { PlayedFile } from '../libav/played-file.ts';
import { readMediaType, refuseKind } from '../pictures/media-header.ts';
import { checkStreams } from './probe-container.ts';

export class VideoFile implements Disposable {
  readonly played: PlayedFile;
  readonly mime: string;

  private constructor(played: PlayedFile, mime: string) {
    this.played = played;
    this.mime = mime;
  }

  /** Throws MediaFaultFound if it is no video. */
  static async open(path: string): Promise<VideoFile> {
    const type = await readMediaType(path);
    if (type.kind === 'image') throw refuseKind('video', `a ${type.name} picture`);
    const played = PlayedFile.open(path, type, { kind: 'video' });
    try {
      const { kind, mime, name } = checkStreams(played.container, type);
      if (kind !== 'video') throw refuseKind('video', `${name} with sound only`);
      return new VideoFile(played, mime);
    } catch (error) {
      played[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.played[Symbol.dispose]();
  }
}
