import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { t } from '../texts/language.ts';
import { ApiError, ask, sentenceOf } from './api.ts';
import type { Document } from './document.ts';
import { Button } from './parts.tsx';

export interface Connection<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface Paged<T> {
  nodes: readonly T[];
  hasMore: boolean;
  isLoading: boolean;
  error: ApiError | undefined;
  loadMore(): void;
  reload(): void;
  put(node: T, isSame: (other: T) => boolean): void;
}

/** `pick` finds the connection in the answer; the query takes `$after`. */
export function usePaged<T, Answer, Variables extends { after?: string | null | undefined }>(
  query: Document<Answer, Variables>,
  variables: NoInfer<Omit<Variables, 'after'>>,
  pick: (data: NoInfer<Answer>) => Connection<T>,
): Paged<T> {
  const [state, setState] = useState<{ nodes: readonly T[]; after: string | null; hasMore: boolean }>({
    nodes: [],
    after: null,
    hasMore: true,
  });
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<ApiError>();
  const key = JSON.stringify(variables);
  const load = useCallback(
    async (after: string | null) => {
      setLoading(true);
      try {
        const data = await ask(query, { ...JSON.parse(key), after } as NoInfer<Variables>);
        const { nodes, pageInfo } = pick(data);
        setState((before) => ({
          nodes: after === null ? nodes : [...before.nodes, ...nodes],
          after: pageInfo.endCursor,
          hasMore: pageInfo.hasNextPage,
        }));
        setError(undefined);
      } catch (fault) {
        setError(fault instanceof ApiError ? fault : new ApiError(sentenceOf(fault), { code: 'INTERNAL' }));
      } finally {
        setLoading(false);
      }
    },
    [query, key],
  );
  useEffect(() => void load(null), [load]);
  return {
    nodes: state.nodes,
    hasMore: state.hasMore,
    isLoading,
    error,
    loadMore: () => void load(state.after),
    reload: () => void load(null),
    put: (node, isSame) =>
      setState((before) => ({
        ...before,
        nodes: before.nodes.some(isSame)
          ? before.nodes.map((one) => (isSame(one) ? node : one))
          : [node, ...before.nodes],
      })),
  };
}

export function More<T>({ hasMore, isLoading, loadMore }: Paged<T>): JSX.Element | null {
  if (!hasMore && !isLoading) return null;
  return (
    <p class="tail">
      <Button isBusy={isLoading} onPress={loadMore}>
        {t('loadMore')}
      </Button>
    </p>
  );
}
