/** Work that reports its progress, for a caller who takes the newest state when it is ready for it. */

/** The newest report each time the caller asks, then what the work came to. */
export async function* followReports<S>(work: (report: (step: S) => void) => Promise<S>): AsyncGenerator<S> {
  let latest: S | undefined;
  let wake = Promise.withResolvers<void>();
  const done = work((step) => {
    latest = step;
    wake.resolve();
  });
  const ended = done.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([ended, wake.promise.then(() => false)]))) {
    wake = Promise.withResolvers<void>();
    if (latest !== undefined) yield latest;
  }
  yield await done;
}
