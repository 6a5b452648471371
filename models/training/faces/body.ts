/** The model of others that the face model stands on: a descriptor of faces, up to its eighth block. */
export const BODY = {
  package: '@vladmandic/human',
  path: 'models/faceres.json',
  format: 'tfjs-graph',
  joined: [['conv_pw_8_relu/clip_by_value']],
} as { package: string; path: string; format: 'tfjs-graph'; joined: string[][] };

/** Planes of its output, and their side for a view of 224 pixels. */
export const PLANES = 512;
export const MAP_SIDE = 14;

/** RGB bytes of views as the body takes them: planes, 0 to 255. */
export function toPlanes(views: Uint8Array, count: number, side: number): Float32Array {
  const planes = new Float32Array(views.length);
  const area = side * side;
  for (let view = 0; view < count; view++) {
    for (let pixel = 0; pixel < area; pixel++) {
      for (let colour = 0; colour < 3; colour++) {
        planes[(view * 3 + colour) * area + pixel] = views[(view * area + pixel) * 3 + colour] ?? 0;
      }
    }
  }
  return planes;
}
