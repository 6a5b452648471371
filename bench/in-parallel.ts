/** Takes items off one list with a bounded number of hands; the first fault ends it. */
export async function inParallel<T>(
  items: readonly T[],
  hands: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const rest = items.entries();
  const hand = async () => {
    for (const [index, item] of rest) await work(item, index);
  };
  await Promise.all(Array.from({ length: hands }, hand));
}
