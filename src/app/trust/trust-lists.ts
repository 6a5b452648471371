/** Trust lists for administrators. Each change and its audit line are one transaction, and apply to the next file. */
import { X509Certificate } from 'node:crypto';
import type { TrustedCertificate, TrustListDiff, TrustListView } from '../../domain/contract/trust.ts';
import type { AuditAction } from '../../domain/custody/audit-actions.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { keyFault } from '../../domain/provenance/certificate-chain.ts';
import type {
  StoredTrustList,
  TrustFile,
  TrustList,
  TrustListKind,
} from '../../domain/provenance/trust-list.ts';
import { MICROSECONDS_PER_MS, parseTime } from '../../domain/time.ts';
import { readTrustContent, type TrustContent, TrustListError } from '../../machinery/trust/trust-content.ts';
import type { TrustLists } from '../../machinery/trust/trust-lists.ts';
import { auditLine } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { Core } from '../core.ts';
import { show } from '../field-parsers.ts';
import { diffOf, droppedSigners } from './trust-list-diff.ts';

export interface TrustParts extends Pick<Core, 'store' | 'clock'> {
  readonly trust: TrustLists;
}

/** Every decode child and worker gets each list. */
const LISTS_MAX = 24;
/** A list of conforming products has 220 KB. */
export const CONTENT_BYTES_MAX = 2 * 1024 * 1024;
const TEXT_CHARACTERS_MAX = 300;
const CERTIFICATES_SHOWN_MAX = 100;

export function listTrustLists({ trust }: Pick<TrustParts, 'trust'>): TrustListView[] {
  return trust.all.map((list) => toView(list, trust.given));
}

function toView(list: TrustList, given: readonly TrustList[]): TrustListView {
  const { id, name, kind, origin, isOn, source, date, frozen, terms, sha256 } = list;
  const before = given.find((one) => one.id === id);
  return {
    id,
    name,
    kind,
    origin,
    isOn,
    source,
    date,
    frozen: frozen ?? '',
    terms,
    sha256,
    isUpdated: before !== undefined && before.sha256 !== sha256,
    authorities: list.authorities.length,
    singleCertificates: list.singles.length,
    products: list.products.length,
  };
}

export interface NewTrustList {
  principal: Principal;
  id: string;
  name: string;
  kind: TrustListKind;
  source: string;
  date: string;
  terms: string;
  content: Uint8Array;
  single: boolean;
}

export async function addTrustList(app: TrustParts, input: NewTrustList): Promise<TrustListView> {
  const { principal, id, kind, content, single, date } = input;
  assertMayChange(principal);
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id)) {
    throw badField('id', `expected 1 to 40 lower-case letters, digits and dashes, found ${show(id)}`);
  }
  if (app.trust.all.some((list) => list.id === id)) throw badField('id', `there is a list "${id}" already`);
  if (app.trust.all.length >= LISTS_MAX)
    throw badField('id', `there are ${LISTS_MAX} lists, the most there may be`);
  const notes = {
    name: line('name', input.name) || id,
    source: line('source', input.source),
    terms: line('terms', input.terms),
  };
  const files = [toFile(content, kind === 'products' ? 'products' : single ? 'single' : 'authorities')];
  const stored = { ...notes, id, kind, date: parseDate(date), frozen: null, isOn: true, files };
  return await store(app, principal, 'trust.add', stored);
}

export interface TrustListUpdate {
  principal: Principal;
  id: string;
  /** Empty: back to the shipped edition. */
  content: Uint8Array;
  date: string;
  /** Accepts a list that drops the voucher of a signer here, which is refused otherwise. */
  dropSeen: boolean;
}

export async function updateTrustList(app: TrustParts, input: TrustListUpdate): Promise<TrustListView> {
  const { principal, id, content, date, dropSeen } = input;
  assertMayChange(principal);
  const list = findList(app, id);
  const files = filesOf(app, list, content);
  const stored: StoredTrustList = {
    ...storedOf(app, list),
    date: files === null ? list.date : parseDate(date),
    files,
  };
  if (!dropSeen) await assertKeepsSeen(app, list, stored);
  return await store(app, principal, 'trust.update', stored);
}

/** Null: the shipped edition. */
function filesOf(app: TrustParts, list: TrustList, content: Uint8Array): TrustFile[] | null {
  // By the stored kind: the present edition may hold no authority where another one will.
  const [known] = storedOf(app, list).files ?? [];
  if (content.length > 0) return [toFile(content, known?.holds ?? holdingOf(list))];
  if (list.origin === 'added') throw badField('content', 'expected a newer edition, found none');
  return null;
}

function holdingOf({ products, authorities }: TrustList): TrustFile['holds'] {
  if (products.length > 0) return 'products';
  return authorities.length > 0 ? 'authorities' : 'single';
}

function listWith({ trust, store }: TrustParts, stored: StoredTrustList): TrustList {
  const others = store.read.automation.trustLists().filter(({ id }) => id !== stored.id);
  const list = trust.with([...others, stored]).find(({ id }) => id === stored.id);
  if (list === undefined) throw new AppError('trust_list', `no trust list "${stored.id}"`);
  return list;
}

async function assertKeepsSeen(app: TrustParts, list: TrustList, stored: StoredTrustList): Promise<void> {
  const seen = await droppedSigners(app, list, listWith(app, stored));
  if (seen.length === 0) return;
  throw badField('content', `it drops what vouches for signers of records here: ${seen.join(', ')}`);
}

/** The effects of an update. Nothing is stored. */
export async function previewTrustListUpdate(
  app: TrustParts,
  { principal, id, content }: Pick<TrustListUpdate, 'principal' | 'id' | 'content'>,
): Promise<TrustListDiff> {
  assertAdmin(principal);
  const list = findList(app, id);
  const next = listWith(app, { ...storedOf(app, list), files: filesOf(app, list, content) });
  return diffOf(list, next, await droppedSigners(app, list, next));
}

export async function setTrustListOn(
  app: TrustParts,
  { principal, id, isOn }: { principal: Principal; id: string; isOn: boolean },
): Promise<TrustListView> {
  assertMayChange(principal);
  const stored = { ...storedOf(app, findList(app, id)), isOn };
  return await store(app, principal, isOn ? 'trust.on' : 'trust.off', stored);
}

export async function removeTrustList(
  app: TrustParts,
  { principal, id }: { principal: Principal; id: string },
): Promise<TrustListView> {
  assertMayChange(principal);
  const list = findList(app, id);
  if (list.origin !== 'added') {
    throw badField('id', `expected a list that was added, found "${id}": switch it off instead`);
  }
  await app.store.transact((tx) => {
    tx.automation.removeTrustList(id);
    tx.log.appendAudit(auditLine(app, principal, 'trust.remove', id));
  });
  app.trust.apply(app.store.read.automation.trustLists());
  return toView(list, app.trust.given);
}

/** By the beginning of a fingerprint, or by a part of a name; at most a hundred. */
export function findTrustedCertificates(
  { trust }: Pick<TrustParts, 'trust'>,
  text: string,
): TrustedCertificate[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') throw badField('text', 'expected a fingerprint or a part of a name, found nothing');
  const hex = wanted.replaceAll(':', '');
  return trust.all
    .flatMap((list) => [
      ...list.authorities.map((der) => toCertificate(list.id, der, false)),
      ...list.singles.map(({ der }) => toCertificate(list.id, der, true)),
    ])
    .filter(
      ({ subject, fingerprint }) => subject.toLowerCase().includes(wanted) || fingerprint.startsWith(hex),
    )
    .slice(0, CERTIFICATES_SHOWN_MAX);
}

function toCertificate(list: string, der: string, isSingle: boolean): TrustedCertificate {
  const certificate = new X509Certificate(Buffer.from(der, 'base64'));
  const { subject, issuer, fingerprint256, validFromDate, validToDate } = certificate;
  return {
    list,
    isSingle,
    subject: subject.replaceAll('\n', ', '),
    issuer: issuer.replaceAll('\n', ', '),
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    validFrom: validFromDate.getTime() * MICROSECONDS_PER_MS,
    validUntil: validToDate.getTime() * MICROSECONDS_PER_MS,
  };
}

function assertMayChange(principal: Principal): void {
  assertMayWrite(principal);
  assertAdmin(principal);
}

function findList({ trust }: TrustParts, id: string): TrustList {
  const list = trust.all.find((one) => one.id === id);
  if (list === undefined) throw new AppError('trust_list', `no trust list "${id}"`);
  return list;
}

function storedOf({ store: { read } }: TrustParts, list: TrustList): StoredTrustList {
  const known = read.automation.trustLists().find(({ id }) => id === list.id);
  const { id, name, kind, source, date, frozen, terms, isOn } = list;
  return known ?? { id, name, kind, source, date, frozen, terms, isOn, files: null };
}

async function store(
  app: TrustParts,
  principal: Principal,
  action: AuditAction,
  stored: StoredTrustList,
): Promise<TrustListView> {
  const { id, isOn, date } = stored;
  // Parsed before it is stored, so that no unreadable list gets there.
  const list = listWith(app, stored);
  const details = { sha256: list.sha256, date, on: String(isOn) };
  await app.store.transact((tx) => {
    tx.automation.putTrustList(stored);
    tx.log.appendAudit(auditLine(app, principal, action, id, details));
  });
  app.trust.apply(app.store.read.automation.trustLists());
  return toView(list, app.trust.given);
}

function toFile(content: Uint8Array, holds: TrustFile['holds']): TrustFile {
  if (content.length > CONTENT_BYTES_MAX) {
    throw badField('content', `expected at most ${CONTENT_BYTES_MAX} bytes, found ${content.length}`);
  }
  const file = { holds, text: Buffer.from(content).toString('utf8') };
  try {
    assertStrongKeys(readTrustContent([file]));
  } catch (error) {
    if (error instanceof TrustListError) throw badField('content', `it ${error.message}`);
    throw error;
  }
  return file;
}

/** A certificate with a weak key vouches for nothing, which is reported when it is added. */
function assertStrongKeys({ authorities, singles }: TrustContent): void {
  for (const der of [...authorities, ...singles.map((single) => single.der)]) {
    const fault = keyFault(new X509Certificate(Buffer.from(der, 'base64')));
    if (fault !== null) throw new TrustListError(`holds a certificate that ${fault}`);
  }
}

function parseDate(date: string): string {
  if (parseTime(`${date}T00:00Z`) !== undefined) return date;
  throw badField('date', `expected the day of publication as YYYY-MM-DD, found ${show(date)}`);
}

function line(field: string, text: string): string {
  if (text.length <= TEXT_CHARACTERS_MAX && !/\p{Cc}/u.test(text)) return text;
  throw badField(field, `expected one line of at most ${TEXT_CHARACTERS_MAX} characters`);
}
