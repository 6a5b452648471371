/** Alone hands files to the picture library, with the accepted types' loaders: a polyglot meets no other parser. */
import sharp, { type FailOnOptions, type Sharp } from 'sharp';
import type { Picture } from '../media/picture.ts';

// One thread per picture: the pool of children is the parallelism.
const THREADS = 1;
sharp.concurrency(THREADS);
// A cache would keep hostile pictures' pixels from job to job.
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpeg',
    'VipsForeignLoadPng',
    'VipsForeignLoadWebp',
    'VipsForeignLoadTiff',
    'VipsForeignLoadNsgif',
  ],
});

/** Until it is disposed, pictures are opened with a second thread. The library counts threads for the whole process. */
export function lendThread(): Disposable {
  sharp.concurrency(THREADS + 1);
  return { [Symbol.dispose]: () => void sharp.concurrency(THREADS) };
}

export function openPixels({ width, height, rgb }: Picture, channels: 1 | 2 | 3 | 4 = 3): Sharp {
  return sharp(rgb, { raw: { width, height, channels }, limitInputPixels: false });
}

/** A page of a file. One that ends early is an error; damage inside is not, since newsrooms get many such files. */
export function openPicture(
  source: string | Buffer,
  pixelsMax: number | false,
  failOn: FailOnOptions = 'truncated',
  /** `stored` values for models, `shown` colours for people. */
  colours: 'stored' | 'shown' = 'stored',
  page = 0,
): Sharp {
  return sharp(source, {
    failOn,
    limitInputPixels: pixelsMax,
    page,
    sequentialRead: true,
    // Models learnt stored values: converting wide gamuts moves three of five samples, and traces with them.
    ignoreIcc: colours === 'stored',
  });
}
