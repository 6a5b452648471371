/**
 * Which voice answers for a sound whose channels hold different ones: the most suspicious. A clone beside a real voice is a made
 * recording, and in the mix of both it cannot be heard; nor was any model calibrated on two voices at once. Pure.
 */
import { fuseLogOdds, usableRuns } from './heuristics.ts';
import type { ChannelResult } from './result.ts';

/** Null where no channel was judged. Of equally suspicious ones the first. */
export function decidingChannel(channels: readonly ChannelResult[]): ChannelResult | null {
  const judged = channels.flatMap((channel) => {
    const usable = usableRuns(channel.runs);
    return usable.length === 0 ? [] : [{ channel, logOdds: fuseLogOdds(usable) }];
  });
  const [most] = judged.toSorted((a, b) => b.logOdds - a.logOdds);
  return most?.channel ?? null;
}
