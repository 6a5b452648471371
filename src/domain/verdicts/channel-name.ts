/** `channel-1`: channels hold different voices; `track-2`: a file has several tracks; `track-2-channel-1`: both. Pure. */

/** Both count from 1; null: there is only one track, or all channels are mixed. */
export interface Voice {
  track: number | null;
  channel: number | null;
}

const MIX = 'mix';
const NAME = /^(?:track-([1-9]))?-?(?:channel-([1-9]\d?))?$/;

export function voiceName({ track, channel }: Voice): string {
  const parts = [track === null ? '' : `track-${track}`, channel === null ? '' : `channel-${channel}`];
  return parts.filter((part) => part !== '').join('-') || MIX;
}

/** Null for other names. */
export function voiceOf(name: string): Voice | null {
  if (name === MIX) return { track: null, channel: null };
  const [found, track, channel] = NAME.exec(name) ?? [];
  if (found === undefined || found === '') return null;
  const numberOf = (digits: string | undefined) => (digits === undefined ? null : Number(digits));
  return { track: numberOf(track), channel: numberOf(channel) };
}
