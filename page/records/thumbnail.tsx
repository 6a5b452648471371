/** What a list shows of a file, in a place that is there before it: nothing moves when the picture comes. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ListedRecord } from '../gen/documents.ts';
import { Wave } from '../media/sound-picture.tsx';
import { lookAt, renditionPath, useFigures } from '../media/use-rendition.ts';
import { t } from '../texts/language.ts';

/** The daemon makes one after the other; more that wait there would only be turned away. */
const LOADING_MAX = 6;
/** A row that is scrolled past loads no thumbnail. */
const PASSING_MS = 150;
const MAKING_MS = 2000;
/** Looks at one that is being made: the list is long, and a row that never comes must not ask for ever. */
const LOOKS_MAX = 30;
/** Addresses remembered, by what became of them; a desk that is open for a week forgets the oldest. */
const REMEMBERED_MAX = 5000;

const known = new Map<string, 'ready' | 'none'>();
const waiting: (() => void)[] = [];
let loading = 0;

/** What is needed of a record to show its picture. */
export type Pictured = Pick<ListedRecord, 'identifier' | 'kind' | 'hash'> & { isNsfw?: boolean | null };

export function Thumbnail({ record }: { record: Pictured }): JSX.Element {
  const { identifier, kind, hash, isNsfw } = record;
  if (isNsfw === true) {
    return <span class="thumbnail covered-thumbnail">{t('coveredThumbnail')}</span>;
  }
  if (hash === '') return <Placeholder {...{ kind }} />;
  return kind === 'AUDIO' ? <Sound {...{ identifier }} /> : <PictureThumbnail {...{ identifier, kind }} />;
}

export function PictureThumbnail({
  identifier,
  kind,
}: Pick<ListedRecord, 'identifier' | 'kind'>): JSX.Element {
  const source = useThumbnail(renditionPath(identifier, 'thumbnail.webp'));
  if (source === null) return <Placeholder {...{ kind }} />;
  return (
    <span class="thumbnail">
      <img src={source} alt="" draggable={false} />
      {kind === 'VIDEO' && <KindMark {...{ kind }} />}
    </span>
  );
}

function Sound({ identifier }: Pick<ListedRecord, 'identifier'>): JSX.Element {
  const isSeen = usePause(identifier);
  const figures = useFigures<{ peaks: number[] }>(isSeen ? renditionPath(identifier, 'peaks.json') : null);
  if (figures === undefined) return <Placeholder kind="AUDIO" />;
  return (
    <span class="thumbnail sound-thumbnail">
      <Wave peaks={figures.peaks} />
    </span>
  );
}

function Placeholder({ kind }: Pick<ListedRecord, 'kind'>): JSX.Element {
  return (
    <span class="thumbnail">
      <KindMark {...{ kind }} />
    </span>
  );
}

export function KindMark({ kind }: { kind: ListedRecord['kind'] }): JSX.Element {
  const names = { IMAGE: t('kindImage'), VIDEO: t('kindVideo'), AUDIO: t('kindAudio') };
  return (
    <svg class="kind" viewBox="0 0 20 20" role="img" aria-label={names[kind]}>
      <title>{names[kind]}</title>
      <path d={KIND_PATHS[kind]} />
    </svg>
  );
}

const KIND_PATHS: Readonly<Record<ListedRecord['kind'], string>> = {
  IMAGE: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M13 7.5h.01',
  VIDEO: 'M3 5h10v10H3zM13 8.5 17 6v8l-4-2.5',
  AUDIO: 'M4 8v4M7 5v10M10 7v6M13 4v12M16 8v4',
};

function usePause(identifier: string): boolean {
  const [seen, setSeen] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSeen(identifier), PASSING_MS);
    return () => clearTimeout(timer);
  }, [identifier]);
  return seen === identifier;
}

/** The address once the browser has the picture; null before, and if there is none. */
function useThumbnail(source: string): string | null {
  const [ready, setReady] = useState(known.get(source) === 'ready' ? source : null);
  useEffect(() => {
    if (known.has(source)) {
      setReady(known.get(source) === 'ready' ? source : null);
      return undefined;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      load(source, controller.signal).then(
        (isThere) => {
          remember(source, isThere ? 'ready' : 'none');
          setReady(isThere ? source : null);
        },
        // The row or the connection is gone: the row asks again when it is next shown.
        () => undefined,
      );
    }, PASSING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [source]);
  return ready === source ? source : null;
}

async function load(source: string, signal: AbortSignal): Promise<boolean> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const now = await inTurn(() => lookAt(source, signal), signal);
    if (now.state === 'ready') return true;
    if (now.state !== 'making') return false;
    await new Promise((done) => setTimeout(done, MAKING_MS));
    signal.throwIfAborted();
  }
  return false;
}

/** The newest request goes first, since the reader looks at that row now. */
async function inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (loading >= LOADING_MAX) await new Promise<void>((begin) => waiting.push(begin));
  loading += 1;
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    loading -= 1;
    waiting.pop()?.();
  }
}

function remember(source: string, state: 'ready' | 'none'): void {
  known.set(source, state);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
}
