/** Works on a stream of items, a bounded number at a time. */

/** Takes an item only when a place is free, so that nothing piles up; a throw is passed on once running items have ended. */
export async function forEachBounded<T>(
  items: AsyncIterable<T>,
  concurrencyMax: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  let hasEnded = false;
  // An async generator queues its next() calls, so the runners never get the same item.
  const runner = async () => {
    while (!hasEnded) {
      const next = await iterator.next();
      if (next.done === true) hasEnded = true;
      else await work(next.value);
    }
  };
  const runners = Array.from({ length: concurrencyMax }, async () => {
    try {
      await runner();
    } catch (error) {
      hasEnded = true;
      throw error;
    }
  });
  const outcomes = await Promise.allSettled(runners);
  await iterator.return?.();
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
