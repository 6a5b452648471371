/** Facts on the box for support: no media, names, addresses, keys or references. Only what is on these lists goes out. */

import { readFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import type { Finding, ModelStatus } from '../../../domain/contract/appliance.ts';
import { FORMATS } from '../../../domain/media/formats.ts';
import { MICROSECONDS_PER_SECOND } from '../../../domain/time.ts';
import { PROGRAM_FOLDER } from '../../../machinery/program-folder.ts';
import { auditLine } from '../../accounts/audit.ts';
import { assertAdmin } from '../../callers/authority.ts';
import type { Principal } from '../../callers/principal.ts';
import { readMetrics, readStatus } from '../appliance.ts';
import type { ApplianceParts, SupportConfig } from '../parts.ts';
import { listProcesses } from '../processes.ts';
import { examine } from './doctor.ts';

export interface SupportBundle {
  name: string;
  /** A tar.gz. */
  archive: Buffer;
}

/** Settings that name people, hosts or networks: only whether they are set goes out. */
const PRIVATE_SETTINGS =
  /^(?:admin\.|mail\.(?:from|smtp)|public_url|http\.allowed_hosts|trusted_proxies|.*allow_networks|tracing\.endpoint)/;
/** Fields of a log line that are figures or our own words. */
const LOG_FIELDS: readonly string[] = [
  ...['level', 'time', 'msg', 'workerPid', 'startMs', 'restartMs', 'loss', 'attempts', 'analysis', 'files'],
  ...['bytes', 'copiedBytes', 'method', 'route', 'table', 'signal', 'status', 'waiting', 'deliveries'],
  ...['requests', 'uploads', 'orphans', 'packs', 'validUntil', 'delivery'],
] as const;
const FAILURES_MAX = 20;
const BUNDLE_FILE_MODE = 0o600;

/** Administrators only; leaves an audit line. */
export async function makeSupportBundle(
  app: ApplianceParts,
  { principal }: { principal: Principal },
): Promise<SupportBundle> {
  assertAdmin(principal);
  const redaction = new Redaction([...app.support.secrets(), ...peopleOf(app)]);
  const json = (value: unknown) => `${JSON.stringify(redaction.value(value), null, 2)}\n`;
  const { models, ...status } = await readStatus(app);
  const { processes, running } = await listProcesses(app, { principal });
  const files = [
    { name: 'versions.json', content: json(await readVersions()) },
    { name: 'settings.json', content: json(app.support.settings.map(toShownSetting)) },
    { name: 'status.json', content: json({ ...status, models: models.map(toShownModel) }) },
    { name: 'doctor.json', content: json(await examineWithoutPlaces(app, principal)) },
    { name: 'processes.json', content: json({ processes, running }) },
    { name: 'queue.json', content: json(summariseQueue(app)) },
    { name: 'metrics.txt', content: await readMetrics(app) },
    { name: 'log.jsonl', content: app.support.recentLog.lines().map(toShownLine(redaction)).join('') },
  ];
  const now = app.clock.now();
  const stamp = new Date(now / 1000).toISOString().replace(/[-:]|\.\d+/g, '');
  const folder = `assay-support-${stamp}`;
  await app.store.transact((tx) =>
    tx.log.appendAudit(auditLine(app, principal, 'support.create', folder, {})),
  );
  const entries = files.map(({ name, content }) => ({
    header: {
      name: `${folder}/${name}`,
      size: Buffer.byteLength(content),
      mode: BUNDLE_FILE_MODE,
      mtime: new Date(now / 1000),
    },
    body: content,
  }));
  return { name: `${folder}.tar.gz`, archive: gzipSync(await packTar(entries)) };
}

/** Findings name folders, hosts and boxes, which are replaced. */
async function examineWithoutPlaces(app: ApplianceParts, principal: Principal): Promise<Finding[]> {
  const redaction = new Redaction([...app.support.secrets(), ...peopleOf(app), ...placesOf(app)]);
  const findings = await examine(app, { principal });
  return findings.map(({ name, state, found, advice }) => ({
    name: redaction.placeless(name),
    state,
    found: redaction.placeless(found),
    advice: redaction.placeless(advice),
  }));
}

/** Known places, which may contain spaces or look like ordinary words. */
function placesOf({ store, remote, doctor, support }: ApplianceParts): string[] {
  const settings = support.settings.flatMap(({ key, value }) =>
    value.startsWith('/') || PRIVATE_SETTINGS.test(key) ? value.split(', ') : [],
  );
  return [
    ...settings,
    ...store.read.automation.watchFolders().map(({ path }) => path),
    ...(remote?.workers() ?? []).map(({ name }) => name),
    ...doctor.listeners.map(({ host }) => host),
  ];
}

function peopleOf({ store }: ApplianceParts): string[] {
  return store.read.accounts
    .all()
    .flatMap(({ name, email, contact, phone, address, vat }) =>
      [name, email, contact, phone, address, vat].filter((value) => value !== null),
    );
}

async function readVersions(): Promise<object> {
  const text = await readFile(join(PROGRAM_FOLDER, 'release.json'), 'utf8').catch(() => null);
  const processors = cpus();
  return {
    release: text === null ? 'a checkout' : (JSON.parse(text) as unknown),
    node: process.versions,
    kernel: release(),
    processors: { count: processors.length, model: processors[0]?.model ?? '' },
    memoryBytes: totalmem(),
  };
}

function toShownSetting({ key, value, origin }: SupportConfig['settings'][number]) {
  return { key, value: PRIVATE_SETTINGS.test(key) && value !== '' ? '(set)' : value, origin };
}

function toShownModel(model: ModelStatus) {
  const { id, version, provider, precision, precisionNote, preparing, fault } = model;
  return { id, version, provider, precision, precisionNote, preparing, fault };
}

function summariseQueue({ store, clock }: ApplianceParts): object {
  const open = [...store.read.openAnalyses()];
  const groups = Map.groupBy(open, ({ kind, state }) => `${kind} ${state}`);
  const counts = Object.fromEntries([...groups].map(([name, { length }]) => [name, length]));
  const [oldest] = open;
  const failures: { kind: string; attempts: number; error: string }[] = [];
  for (const { kind, attempts, error } of store.read.failedAnalyses()) {
    if (failures.length >= FAILURES_MAX) break;
    failures.push({ kind, attempts, error });
  }
  const oldestSeconds = oldest === undefined ? 0 : (clock.now() - oldest.queuedAt) / MICROSECONDS_PER_SECOND;
  return { counts, oldestSeconds, failures };
}

/** Leaves out lines of decoders, which may quote the file that they read. */
function toShownLine(redaction: Redaction): (line: string) => string {
  return (line) => {
    let found: Record<string, unknown>;
    try {
      found = JSON.parse(line) as Record<string, unknown>;
    } catch {
      return '{"msg":"(a line too long to show)"}\n';
    }
    if ('worker' in found) return '';
    const { err } = found;
    const fields = Object.entries(found).filter(([name]) => LOG_FIELDS.includes(name));
    if (typeof err === 'object' && err !== null) fields.push(['err', toShownError(err)]);
    return `${JSON.stringify(redaction.value(Object.fromEntries(fields)))}\n`;
  };
}

/** Frames of our own program show where it happened; the rest of a stack repeats the message. */
function toShownError(error: object): object {
  const { type, message, stack, code, reason } = error as Record<string, unknown>;
  const frames = String(stack ?? '').match(/\/(?:src|node_modules)\/[^\s):]+:\d+/g) ?? [];
  return { type, message, code, reason, frames };
}

/** Endings of files that are sent although they are none of the accepted formats. */
const OTHER_ENDINGS = 'jpe|bmp|jp2|raw|dng|cr[23]|nef|arw|svg|pdf|psd|eml';
const ENDINGS = [...FORMATS.flatMap(({ extensions }) => extensions), OTHER_ENDINGS].join('|');

interface Shape {
  pattern: RegExp;
  shown: string | ((found: string) => string);
}

/** In this order: an address may hold a key, and a name may look like a token. */
const SHAPES: readonly Shape[] = [
  { pattern: /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi, shown: '<address>' },
  { pattern: /[^\s@"'<>()[\],:;]+@(?:[\w-]+\.)*(?:[a-z]{2,}|localhost)\b/gi, shown: '<e-mail>' },
  { pattern: /\b(?:assay_[0-9a-f]{16,}|whsec_[\w+/=-]{8,})/g, shown: '<key>' },
  { pattern: /\b[0-9a-f]{64}\b/g, shown: (found) => `${found.slice(0, 8)}…` },
  { pattern: /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}/g, shown: '<token>' },
  { pattern: new RegExp(`[^\\s/"'<>]+\\.(?:${ENDINGS})\\b(?!:\\d)`, 'gi'), shown: '<file>' },
  { pattern: /\b(?!127\.)(?:\d{1,3}\.){3}\d{1,3}\b/g, shown: '<ip>' },
  { pattern: /\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b/gi, shown: '<ip>' },
  { pattern: /\/home\/[^/\s"']+/g, shown: '/home/<user>' },
];

/** Match paths and hosts in the doctor's findings. The doctor's own sentences have neither. */
const PLACES: readonly RegExp[] = [/(?<![\w.<>/])\/[^\s"'<>,;()]+/g, /\b(?=[\w.-]*[a-z])[\w.-]+:\d{2,5}\b/g];

/** Shorter names are ordinary words too, and would tear holes into every sentence. */
const NAME_CHARACTERS_MIN = 4;

/** Removes names and secrets from text for support. It hides too much rather than too little, since no one checks it. */
export class Redaction {
  readonly #known: RegExp | null;

  /** `known`: secrets, and names and addresses of people. */
  constructor(known: Iterable<string>) {
    const values = [...new Set(known)].filter((value) => value.length >= NAME_CHARACTERS_MIN);
    // The longest first: a name may be part of an address.
    values.sort((left, right) => right.length - left.length);
    this.#known = values.length === 0 ? null : new RegExp(values.map(escapePattern).join('|'), 'gi');
  }

  text(text: string): string {
    const plain = this.#known === null ? text : text.replace(this.#known, '<hidden>');
    return SHAPES.reduce(
      (shown, { pattern, shown: by }) =>
        typeof by === 'string' ? shown.replace(pattern, by) : shown.replace(pattern, by),
      plain,
    );
  }

  /** Like `text`, and without paths and hosts. */
  placeless(text: string): string {
    return PLACES.reduce((shown, pattern) => shown.replace(pattern, '<place>'), this.text(text));
  }

  /** Redacts every text of a JSON value; field names stay. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.value(child)]));
  }
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
