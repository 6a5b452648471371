/** `type Rendition`: what a browser is shown instead of, or beside, the file that was submitted. */
import type { RenditionInfo } from '../../app/records/renditions.ts';
import { RENDITION_KINDS, RENDITION_STATES } from '../../domain/media/rendition.ts';
import { builder, renamedTo, upperCaseValues } from './builder.ts';

const kindEnum = builder.enumType('RenditionKind', {
  description:
    'PICTURE, FILM and SOUND stand in for the file; TILES are a large picture in pieces; STRIP and PEAKS show it over time; SHEET is the contact sheet of a video, THUMBNAIL what a list shows of a picture or video.',
  values: upperCaseValues(RENDITION_KINDS),
});
const stateEnum = builder.enumType('RenditionState', {
  description: 'NONE until somebody asks for its address, which begins the work.',
  values: upperCaseValues(RENDITION_STATES),
});

export const renditionType = builder.objectRef<RenditionInfo>('Rendition').implement({
  description:
    'Made for eyes and ears, never analysed. It can be made again at any time and may go when disk is short.',
  fields: (t) => ({
    kind: t.expose('kind', { type: kindEnum }),
    state: t.expose('state', { type: stateEnum }),
    url: t.exposeString('url', {
      description:
        'With the same key. Answers 202 with Retry-After while it is made, 422 where it cannot be.',
    }),
    mimetype: t.exposeString('mime'),
    mime: t.exposeString('mime', { deprecationReason: renamedTo('mimetype') }),
    isNeeded: t.exposeBoolean('isNeeded', {
      description: 'Browsers do not show the file itself. Only playing a video or sound shows this for sure.',
    }),
    madeFrom: t.exposeString('madeFrom', { description: 'SHA-256 in hex of the file that it is made of.' }),
    width: t.exposeInt('width', {
      nullable: true,
      description: 'Pixels, once made; of a strip, of one thumbnail.',
    }),
    height: t.exposeInt('height', { nullable: true }),
    durationSeconds: t.exposeFloat('durationSeconds', { nullable: true }),
    done: t.int({ nullable: true, resolve: ({ progress }) => progress?.done ?? null }),
    total: t.int({
      nullable: true,
      description: 'Seconds for a film or sound; null if nothing is being made.',
      resolve: ({ progress }) => progress?.total ?? null,
    }),
    error: t.exposeString('error', { description: 'Why it cannot be made; empty where it can.' }),
  }),
});
