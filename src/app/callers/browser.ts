/** The browser's session, with proof that our own page asks: any page's request carries the cookie (docs/security.md). */
import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { CallerParts } from './parts.ts';
import type { CallOrigin } from './principal.ts';
import { identifySession, type SignedIn } from './session.ts';

/** Sent with every POST; a foreign page can neither read its value nor send the header without a preflight. */
export const CSRF_HEADER = 'x-assay-csrf';

export interface BrowserCall {
  cookieValue: string;
  csrfToken: string | undefined;
  /** Whether the request comes from a page of this very origin. */
  isOwnPage: boolean;
  /** Whether the browser says that a page of another site caused it. */
  isForeign: boolean;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The `__Host-` prefix needs TLS, so clear text has to do without. */
export function sessionCookieName({ config }: CallerParts): string {
  return config.publicUrl.startsWith('https:') ? '__Host-assay_session' : 'assay_session';
}

/** Undefined if the request carries no session cookie. */
export function readBrowserCall(app: CallerParts, headers: Headers): BrowserCall | undefined {
  const cookieValue = cookieOf(textOf(headers.cookie), sessionCookieName(app));
  if (cookieValue === undefined) return undefined;
  return {
    cookieValue,
    csrfToken: textOf(headers[CSRF_HEADER]),
    isOwnPage: isOwnPage(app, headers),
    isForeign: isForeign(app, headers),
  };
}

/** Ports count: another program on this box has the same host and gets the same cookie. */
export function isOwnPage({ config }: CallerParts, headers: Headers): boolean {
  const origin = textOf(headers.origin);
  if (origin === undefined) return textOf(headers['sec-fetch-site']) === 'same-origin';
  if (!URL.canParse(origin)) return false;
  const { origin: given, host } = new URL(origin);
  return given === new URL(config.publicUrl).origin || host === textOf(headers.host)?.toLowerCase();
}

function isForeign(app: CallerParts, headers: Headers): boolean {
  const site = textOf(headers['sec-fetch-site']);
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return headers.origin !== undefined && !isOwnPage(app, headers);
}

/** `token`: own page and session token (changes); `page`: own page (subscriptions); `read`: no foreign page (media). */
export type BrowserProof = 'token' | 'page' | 'read';

/** Throws `credentials` if the proof is missing or the session has ended; accepted terms are not required. */
export function identifyBrowser(
  app: CallerParts,
  call: BrowserCall,
  proof: BrowserProof,
  from: CallOrigin,
): SignedIn {
  if (proof === 'read' ? call.isForeign : !call.isOwnPage) {
    throw new AppError('credentials', 'a session holds for the pages of this appliance only');
  }
  const signedIn = identifySession(app, call.cookieValue, from);
  if (proof === 'token' && !isEqual(call.csrfToken ?? '', signedIn.session.csrfToken)) {
    throw new AppError('credentials', `expected the session's token in the header ${CSRF_HEADER}`);
  }
  return signedIn;
}

function isEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
