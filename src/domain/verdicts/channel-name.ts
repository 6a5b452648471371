/** How a channel of a sound is named where its channels hold different voices: `channel-1` is the first. Pure. */
const NAME = /^channel-([1-9]\d?)$/;

/** `channel` counts from 1. */
export function channelName(channel: number): string {
  return `channel-${channel}`;
}

/** Null for what is no channel, as the mix. */
export function channelOf(name: string): number | null {
  const [, digits] = NAME.exec(name) ?? [];
  return digits === undefined ? null : Number(digits);
}
