/** A rendition of a record's file: asking for it begins the making, and this waits until it is there. */
import { useEffect, useState } from 'preact/hooks';
import type { FullRecord, Rendition, RenditionKind } from '../gen/documents.ts';
import { t } from '../texts/language.ts';

export type RenditionView =
  | { state: 'none' }
  /** `share` of the work, 0 to 1; null while it waits for its turn. */
  | { state: 'making'; share: number | null }
  | { state: 'ready'; source: string }
  | { state: 'failed'; reason: string };

const NONE: RenditionView = { state: 'none' };
const RETRY_SECONDS = 2;

export function renditionOf(
  { renditions }: Pick<FullRecord, 'renditions'>,
  kind: RenditionKind,
): Rendition | undefined {
  return renditions.find((rendition) => rendition.kind === kind);
}

export function renditionPath(identifier: string, name: string): string {
  return `/media/${identifier}/rendition/${name}`;
}

/** Asks for nothing if the source is null. */
export function useRendition(source: string | null): RenditionView {
  const [view, setView] = useState<{ of: string | null; now: RenditionView }>({ of: null, now: NONE });
  useEffect(() => {
    if (source === null) return undefined;
    const controller = new AbortController();
    const follow = async (): Promise<void> => {
      for (;;) {
        const now = await lookAt(source, controller.signal);
        setView({ of: source, now });
        if (now.state !== 'making') return;
        await pause(RETRY_SECONDS * 1000, controller.signal);
      }
    };
    follow().catch((error: unknown) => {
      if (controller.signal.aborted) return;
      setView({ of: source, now: { state: 'failed', reason: String(error) } });
    });
    return () => controller.abort();
  }, [source]);
  if (source === null) return NONE;
  return view.of === source ? view.now : { state: 'making', share: null };
}

/** The first byte is enough to know that it is there. */
export async function lookAt(source: string, signal: AbortSignal): Promise<RenditionView> {
  const response = await fetch(source, { signal, headers: { range: 'bytes=0-0' } });
  if (response.status === 202) {
    const { state, done, total } = (await response.json()) as { state: string; done: number; total: number };
    return { state: 'making', share: state === 'waiting' ? null : Math.min(1, done / Math.max(1, total)) };
  }
  if (response.ok) return { state: 'ready', source };
  // The daemon is busy, full or stopping: a later question succeeds.
  if (response.status === 429 || response.status === 503) return { state: 'making', share: null };
  const { error } = (await response.json().catch(() => ({}))) as { error?: unknown };
  return { state: 'failed', reason: typeof error === 'string' ? error : t('renditionImpossible') };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('no longer shown'));
    });
  });
}

/** The figures of a rendition, once it is made; undefined before, and if it cannot be made. */
export function useFigures<T>(source: string | null): T | undefined {
  const view = useRendition(source);
  const [found, setFound] = useState<{ of: string; figures: T }>();
  useEffect(() => {
    if (view.state !== 'ready') return undefined;
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const response = await fetch(view.source, { signal: controller.signal });
      if (response.ok) setFound({ of: view.source, figures: (await response.json()) as T });
    };
    // A page that was left, or a rendition that a sweep took in this moment: there is nothing to draw.
    load().catch(() => undefined);
    return () => controller.abort();
  }, [view.state, source]);
  return found?.of === source ? found?.figures : undefined;
}
