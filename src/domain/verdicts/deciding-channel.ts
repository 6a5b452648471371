/**
 * Chooses the voice that answers for a sound whose channels hold different ones: the most suspicious. A clone beside a real
 * voice is a generated recording, and cannot be heard in the mix; nor was any model calibrated on two voices at once. Pure.
 */
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

/**
 * Its answers, for the whole sound. Two voices are two trials: by the bounds of one voice `balanced` accused eight of ten
 * pairs of real voices. So nothing is called artificial below the threshold of `cautious`; from the lower bound on it is
 * inconclusive.
 */
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
