/** Brings times and places from the many ways in which files write them into one form. Pure. */

/** EXIF, XMP, IPTC and the tags of films: a day, a time, and the zone if it is written. */
const MOMENT =
  /^(\d{4})[:-](\d\d)[:-](\d\d)[T ]*(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/;
const DAY = /^(\d{4})[:-](\d\d)[:-](\d\d)$/;
/** Times of clocks that were never set, and of containers without a time. */
const UNSET = /^(?:0000|1904-01-01 00:00:00|1970-01-01 00:00:00)/;

/** `2026-05-01 12:00:00+02:00`, a day alone, or empty if it is no time. */
export function toMoment(text: string): string {
  const [, year, month, day, hour, minute, second = '00', zone = ''] = MOMENT.exec(text) ?? [];
  if (year === undefined) return text.replace(DAY, '$1-$2-$3').match(/^(?!0000)\d{4}-\d\d-\d\d$/)?.[0] ?? '';
  const offset = zone === 'Z' ? '+00:00' : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const moment = `${year}-${month}-${day} ${hour}:${minute}:${second}${offset}`;
  return UNSET.test(moment) || Number.isNaN(wallOf(moment)) ? '' : moment;
}

const wallOf = (moment: string): number => Date.parse(`${moment.slice(0, 19).replace(' ', 'T')}Z`);

export interface ClockTime {
  /** The clock's reading, in milliseconds. */
  wall: number;
  /** Milliseconds since 1970; null without a zone. */
  instant: number | null;
}

/** Null for a day alone. */
export function clockTimeOf(moment: string): ClockTime | null {
  const wall = wallOf(moment);
  if (moment.length < 19 || Number.isNaN(wall)) return null;
  const instant = moment.length > 19 ? Date.parse(moment.replace(' ', 'T')) : null;
  return { wall, instant };
}

const HOUR = 3_600_000;
/** Zones lie between 12 hours behind and 14 hours ahead of UTC. */
const ZONE_MAX = 14 * HOUR;

/** Milliseconds by which one surely lies behind another: unknown zones are assumed to explain as much as they can. */
export function certainGap(later: ClockTime, earlier: ClockTime, isOneClock: boolean): number {
  if (later.instant !== null && earlier.instant !== null) return later.instant - earlier.instant;
  const isBothUnknown = later.instant === null && earlier.instant === null;
  const unknown = isBothUnknown ? (isOneClock ? 0 : 2 * ZONE_MAX) : ZONE_MAX;
  return (later.instant ?? later.wall) - (earlier.instant ?? earlier.wall) - unknown;
}

/** `42.94336, -122.17160` from degrees, degrees and minutes (`42,56.6015N`) or ISO 6709; empty if it is no place. */
export function toPlace(text: string): string {
  const iso = /^([+-]\d{1,2}\.\d+)([+-]\d{1,3}\.\d+)/.exec(text.trim());
  const [latitude = Number.NaN, longitude = Number.NaN] = iso
    ? [Number(iso[1]), Number(iso[2])]
    : text.split(' ').map(degrees);
  // Devices without a fix write nothing but zeros.
  const isPlace =
    Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && (latitude !== 0 || longitude !== 0);
  return isPlace ? `${latitude.toFixed(5)}, ${longitude.toFixed(5)}` : '';
}

function degrees(text: string): number {
  const [, whole, minutes, seconds = '0', side] = /^(\d+),([\d.]+)(?:,([\d.]+))?([NSEW])$/.exec(text) ?? [];
  if (whole === undefined) return text === '' ? Number.NaN : Number(text);
  const value = Number(whole) + Number(minutes) / 60 + Number(seconds) / 3600;
  return side === 'S' || side === 'W' ? -value : value;
}
