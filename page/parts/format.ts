/** Numbers, sizes and times as the reader's language writes them. */
import { language, t } from '../texts/language.ts';

const locale = (): string => (language.get() === 'it' ? 'it-IT' : 'en-GB');

export function formatNumber(value: number, digits = 0): string {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
}

/** With a space, as the sentences of reasons have it, at which no line breaks. */
export function formatPercent(share: number, digits = 0): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${new Intl.NumberFormat(locale(), options).format(100 * share)}\u00a0%`;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  return `${formatNumber(bytes / 1024 ** power, power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

/** A place in a film or a sound: `4:05`, from an hour on `1:04:05`, as players show it. */
export function formatSeconds(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** How long something took: milliseconds, seconds with a decimal, or minutes and hours with what is left. */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return `${formatNumber(Math.round(seconds * 1000))} ms`;
  if (seconds < 60) return `${formatNumber(seconds, 1)} s`;
  return `${formatSeconds(seconds)} ${seconds < 3600 ? 'min' : 'h'}`;
}

/** The time in the reader's zone. */
export function formatTime(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}

/** The time in UTC, for a tooltip beside the local time. */
export const formatUtc = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

export function formatAge(iso: string): string {
  const seconds = (Date.now() - new Date(iso).getTime()) / 1000;
  const step = STEPS.find(([, length]) => seconds >= length);
  if (step === undefined) return t('justNow');
  if (step[0] === 'day' && seconds > 7 * 86_400) return formatTime(iso);
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(
    -Math.floor(seconds / step[1]),
    step[0],
  );
}
