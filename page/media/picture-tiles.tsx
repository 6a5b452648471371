/** The tiles of a large picture that lie under the reader's eyes, as fine as the screen shows them. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { renditionPath, useFigures } from './use-rendition.ts';

interface Pyramid {
  width: number;
  height: number;
  tilePixels: number;
  /** The levels, from the smallest on. */
  levels: { width: number; height: number; columns: number; rows: number }[];
}

interface TilesProps {
  identifier: string;
  /** Width of the stage, CSS pixels. */
  stageWidth: number;
  /** How often the picture is as large as its stage, and where its corner lies, in parts of the stage. */
  view: { scale: number; x: number; y: number };
  /** Width of the picture that lies below: coarser tiles than it would show nothing new. */
  wholeWidth: number;
}

/** Tiles are loaded after so long a rest, not while somebody zooms. */
const REST_MS = 120;

export function PictureTiles({ identifier, stageWidth, view, wholeWidth }: TilesProps): JSX.Element | null {
  const pyramid = useFigures<Pyramid>(renditionPath(identifier, 'tiles.json'));
  const rested = useRested(view);
  if (pyramid === undefined || stageWidth === 0) return null;
  const wanted = stageWidth * rested.scale * devicePixelRatio;
  const fine = pyramid.levels.findIndex(({ width }) => width >= wanted);
  const number = fine < 0 ? pyramid.levels.length - 1 : fine;
  const level = pyramid.levels[number];
  if (level === undefined || level.width <= wholeWidth || wanted <= wholeWidth) return null;
  const { tilePixels } = pyramid;
  const { scale, x, y } = rested;
  const columns = visible(-x / scale, (1 - x) / scale, level.width / tilePixels, level.columns);
  const rows = visible(-y / scale, (1 - y) / scale, level.height / tilePixels, level.rows);
  return (
    <div class="tiles">
      {rows.flatMap((row) =>
        columns.map((column) => (
          <img
            key={`${number}-${column}-${row}`}
            src={renditionPath(identifier, `tiles/${number}/${column}_${row}.webp`)}
            alt=""
            draggable={false}
            style={{
              left: `${((column * tilePixels) / level.width) * 100}%`,
              top: `${((row * tilePixels) / level.height) * 100}%`,
              width: `${(Math.min(tilePixels, level.width - column * tilePixels) / level.width) * 100}%`,
              height: `${(Math.min(tilePixels, level.height - row * tilePixels) / level.height) * 100}%`,
            }}
          />
        )),
      )}
    </div>
  );
}

/** Indexes of the `count` tiles that lie between two shares of a side, which is `length` tiles long. */
function visible(from: number, to: number, length: number, count: number): number[] {
  const first = Math.max(0, Math.floor(from * length));
  const last = Math.min(count - 1, Math.floor(to * length));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
