/** The most suspicious voice answers for the sound: a clone beside a real voice cannot be heard in the mix. Pure. */
import { fuseLogOdds, usableRuns } from './heuristics.ts';
import type { Bounds, ChannelResult, ModelRun } from './result.ts';

/** Null if no channel was judged. The first of equally suspicious ones. */
export function decidingChannel(channels: readonly ChannelResult[]): ChannelResult | null {
  const judged = channels.flatMap((channel) => {
    const usable = usableRuns(channel.runs);
    return usable.length === 0 ? [] : [{ channel, logOdds: fuseLogOdds(usable) }];
  });
  const [most] = judged.toSorted((a, b) => b.logOdds - a.logOdds);
  return most?.channel ?? null;
}

/** Two voices are two trials: by the bounds of one `balanced` accused eight of ten real pairs, so `cautious` decides. */
export function decidingRuns(channels: readonly ChannelResult[]): ModelRun[] | null {
  const deciding = decidingChannel(channels);
  if (deciding === null) return null;
  return deciding.runs.map((run) => {
    const { together } = run;
    return {
      ...run,
      ...careful(run),
      ...(together === undefined ? {} : { together: { ...together, ...careful(together) } }),
    };
  });
}

function careful({ cautiousThreshold, inconclusiveHigh }: Bounds): Pick<Bounds, 'inconclusiveHigh'> {
  return { inconclusiveHigh: Math.max(inconclusiveHigh, cautiousThreshold) };
}
