/** The documented paths of each media kind, aliases included; the one list that routes and openapi.ts share. */
import type { MediaKind } from '../../../domain/media/media.ts';

export interface KindPaths {
  kind: MediaKind;
  /** Form field that carries the file. */
  field: 'image' | 'video' | 'audio';
  /** Submission by POST; one record is below it. */
  one: readonly string[];
  many: readonly string[];
  fromAddress: string;
}

export const KIND_PATHS: readonly KindPaths[] = [
  {
    kind: 'image',
    field: 'image',
    one: ['/api/classification', '/api/classification_image'],
    many: ['/api/classifications', '/api/classifications_image'],
    fromAddress: '/api/image_fromurl',
  },
  {
    kind: 'video',
    field: 'video',
    one: ['/api/classification_video'],
    many: ['/api/classifications_video'],
    fromAddress: '/api/video_fromurl',
  },
  {
    kind: 'audio',
    field: 'audio',
    one: ['/api/classification_audio'],
    many: ['/api/classifications_audio'],
    fromAddress: '/api/audio_fromurl',
  },
];
