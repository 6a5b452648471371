/** A query as a component sees it: loading, answered or failed, and asked again on demand. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ask } from './api.ts';
import type { Document } from './document.ts';

export interface Asked<T> {
  data: T | undefined;
  error: ApiError | undefined;
  isLoading: boolean;
  reload(): Promise<void>;
  /** Puts a newer value in place of the answer, as a subscription brings it. */
  replace(change: (data: T) => T): void;
}

/** Asked again by itself every `everyMs` while the page is seen; the old answer stays until the new one is there. */
export function useQuery<T, Variables>(
  query: Document<T, Variables>,
  variables: NoInfer<Variables>,
  everyMs?: number,
): Asked<T> {
  const [state, setState] = useState<Pick<Asked<T>, 'data' | 'error' | 'isLoading'>>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const key = JSON.stringify(variables);
  const latest = useRef<AbortController | null>(null);
  const reload = useCallback(async () => {
    latest.current?.abort();
    const controller = new AbortController();
    latest.current = controller;
    try {
      const data = await ask(query, JSON.parse(key) as NoInfer<Variables>, controller.signal);
      setState({ data, error: undefined, isLoading: false });
    } catch (error) {
      if (controller.signal.aborted) return;
      const shown = error instanceof ApiError ? error : new ApiError(String(error), { code: 'INTERNAL' });
      setState(({ data }) => ({ data, error: shown, isLoading: false }));
    }
  }, [query, key]);
  useEffect(() => {
    void reload();
    const timer =
      everyMs === undefined ? undefined : setInterval(() => document.hidden || void reload(), everyMs);
    return () => {
      clearInterval(timer);
      latest.current?.abort();
    };
  }, [reload, everyMs]);
  const replace = useCallback((change: (data: T) => T) => {
    setState((before) => (before.data === undefined ? before : { ...before, data: change(before.data) }));
  }, []);
  return { ...state, reload, replace };
}

export interface Work {
  isBusy: boolean;
  fault: ApiError | undefined;
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** One action at a time, with its refusal. `settled` is called after each, well or not: what is shown may have changed. */
export function useWork(settled?: () => unknown): Work {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiError>();
  const latest = useRef(settled);
  latest.current = settled;
  const run = useCallback(async (work: () => Promise<unknown>) => {
    setBusy(true);
    setFault(undefined);
    let isDone = false;
    try {
      await work();
      isDone = true;
    } catch (error) {
      setFault(error instanceof ApiError ? error : new ApiError(String(error), { code: 'INTERNAL' }));
    } finally {
      setBusy(false);
    }
    await latest.current?.();
    return isDone;
  }, []);
  return { isBusy, fault, run };
}
