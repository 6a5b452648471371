/** The media that come with Assay (examples/demo): what each is, in truth. */

/** What each file is, in the order in which the demo judges them. */
export const DEMO_MEDIA = {
  'camera-signed.jpg': 'a drawn scene, signed by a test authority as a camera signs what it captured',
  'generator-signed.jpg': 'a drawn scene, signed by a test authority as a generator signs its picture',
  'changed-after-signing.jpg': 'the picture of the camera, with a byte changed after it was signed',
  'copy-without-signature.jpg': 'the picture of the camera, saved again smaller: its signature is lost',
  'declared-generated.jpg': 'a drawn scene whose unsigned metadata declare a generator',
  'drawing.png': 'a drawing of coloured shapes, made by a program of ours',
  'grain.jpg': 'a drawn sky with grain, like a photograph out of focus',
  'screenshot.webp': 'a screenshot of Assay’s own page',
  'film.mp4': 'a film of two seconds: a drawn scene that moves',
  'generator-signed-film.mp4': 'the same film, signed by a test authority as a generator signs it',
  'synthesised-speech.ogg': 'two sentences by the speech synthesiser espeak-ng: no person speaks',
  'tones.flac': 'three tones of a chord: no voice',
} as const;

export type DemoFile = keyof typeof DEMO_MEDIA;

/** The root of those who signed them; its key was thrown away. */
export const DEMO_AUTHORITY = 'authority.pem';
