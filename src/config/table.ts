/**
 * Every setting, one row each: its key in the file, how it is read, its default and what it does. The variable's
 * name follows from the key. docs/settings.md and assay.example.toml are printed from this table.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  boolean,
  cidr,
  httpUrl,
  integer,
  type ListenAddress,
  listenAddress,
  listOf,
  oneOf,
  type Parser,
  secret,
  size,
  text,
} from './parsers.ts';
import type { Secret } from './secret.ts';

export interface SettingRow<T> {
  key: string;
  parser: Parser<T>;
  default: T;
  /** The default as documents show it, where it depends on the machine or is nothing. */
  defaultText?: string;
  description: string;
}

export const PROVIDERS = ['tensorrt', 'cuda', 'webgpu', 'cpu'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const DAY_MS = 24 * 3600 * 1000;
const cores = availableParallelism();
const path = text('a path', /^[^\0]{1,4096}$/);
const host = text('a host name', /^[A-Za-z0-9.[\]:-]{1,255}$/);
/** Shipped with the program, beside src/. */
const builtInModels = join(import.meta.dirname, '..', '..', 'models');

/** Keeps each row's value type, and lets a row without a default be null. */
function row<T>(key: string, parser: Parser<T>, initial: T, description: string, defaultText?: string) {
  const rest = defaultText === undefined ? {} : { defaultText };
  return { key, parser, default: initial, description, ...rest } satisfies SettingRow<T>;
}

function optional<T>(key: string, parser: Parser<T>, description: string, defaultText = '') {
  return row<T | null>(key, parser, null, description, defaultText);
}

function loopback(port: number): ListenAddress {
  return { host: '127.0.0.1', port };
}

export const SETTINGS = {
  dataDir: row('data_dir', path, './data', 'Folder that holds everything Assay stores.'),
  publicUrl: optional<string>(
    'public_url',
    httpUrl(),
    'Address under which clients reach the HTTP side; base of every `result_url`.',
    'http:// and the HTTP listener',
  ),
  behindProxy: row(
    'behind_proxy',
    boolean(),
    false,
    'Says that a proxy in front ends TLS. Needed for a listener that is not on loopback.',
  ),
  rateLimitPerMinute: row(
    'rate_limit_per_minute',
    integer(0, 1_000_000),
    0,
    'Requests per minute that the `appliance` plan allows an account; 0 = no limit. Read at the first start.',
  ),
  diskFreeMin: row(
    'disk_free_min',
    size(0),
    GIB,
    'Bytes that must stay free on the disk of the data folder; below it new work is refused.',
  ),
  termsRequired: row(
    'terms_required',
    boolean(),
    false,
    'Whether an account must accept the terms before its key works.',
  ),
  httpListen: row(
    'http.listen',
    listenAddress(),
    loopback(8480),
    'Where REST, GraphQL and the dashboard listen.',
  ),
  httpAllowedHosts: row(
    'http.allowed_hosts',
    listOf(host, 'host names'),
    [],
    'Further `Host` names that are answered, besides the public address and loopback.',
  ),
  grpcListen: row('grpc.listen', listenAddress(), loopback(8481), 'Where gRPC listens.'),
  adminEmail: row(
    'admin.email',
    text('an e-mail address', /^[^\s@]{1,64}@[^\s@]{1,190}$/),
    'admin@localhost',
    'The admin account that the first start makes.',
  ),
  adminPassword: optional<Secret>(
    'admin.password',
    secret('8 to 1024 characters', /^[^\0]{8,1024}$/),
    'Its password. Without it the first start prints a link that sets one.',
  ),
  adminApiKey: optional<Secret>(
    'admin.api_key',
    secret('8 to 256 printable ASCII characters without spaces', /^[\x21-\x7e]{8,256}$/),
    'The API key that the admin gets at the first start. Without it the first start makes one and prints it once.',
    'a random key',
  ),
  logLevel: row('log.level', oneOf(LOG_LEVELS), 'info', 'Least severity that is logged.'),
  fetchAllowNetworks: row(
    'fetch.allow_networks',
    listOf(cidr(), 'networks like 10.0.0.0/8'),
    [],
    'Private networks that media may be fetched from; all others are refused.',
  ),
  fetchTimeoutMs: row('fetch.timeout_ms', integer(1000, DAY_MS), 60_000, 'Longest fetch of an address, ms.'),
  webhookAllowNetworks: row(
    'webhook.allow_networks',
    listOf(cidr(), 'networks like 10.0.0.0/8'),
    [],
    'Private networks that webhooks may be delivered to; all others are refused.',
  ),
  uploadsMax: row(
    'uploads.max',
    integer(1, 1024),
    16,
    'Uploads that are read at once; the others wait. Bounds the memory that uploads take.',
  ),
  queueMax: row(
    'queue.max',
    integer(1, 10_000_000),
    10_000,
    'Analyses that may wait; past it work is refused.',
  ),
  runningMax: row(
    'queue.running_max',
    integer(1, 1024),
    2 * cores,
    'Analyses in work at once: one decodes while another is with the models.',
    'twice the cores',
  ),
  analysisAttemptsMax: row(
    'analysis.attempts_max',
    integer(1, 100),
    3,
    'How often an analysis is tried whose worker died, before it ends errored.',
  ),
  analysisTimeoutMs: row('analysis.timeout_ms', integer(1000, DAY_MS), 300_000, 'Longest analysis, ms.'),
  stability: row(
    'analysis.stability',
    boolean(),
    true,
    'Whether the models also see recompressed and scaled copies; a verdict that flips is inconclusive.',
  ),
  probeWaitMs: row(
    'probe.wait_ms',
    integer(100, 600_000),
    10_000,
    'How long a submission waits for its file to be looked at before it is told to come back, ms.',
  ),
  decodeSlots: row('decode.slots', integer(1, 512), cores, 'Decode processes at work at once.', 'the cores'),
  decodeMemoryBytesMax: row(
    'decode.memory_bytes_max',
    size(256 * MIB),
    3 * GIB,
    'Memory of one decode process; more ends it, which costs the analysis one attempt.',
  ),
  decodeStepTimeoutMs: row(
    'decode.step_timeout_ms',
    integer(100, DAY_MS),
    60_000,
    'Longest single step of a decode process, ms.',
  ),
  decodeIsolation: row(
    'decode.isolation',
    oneOf(['auto', 'require']),
    'auto',
    'How decode processes are shut in: `auto` takes the strongest this box has, `require` refuses to start without bubblewrap.',
  ),
  inferenceProcesses: row('inference.processes', integer(1, 64), 1, 'Processes that hold the models.'),
  inferenceThreads: row(
    'inference.threads',
    integer(1, 512),
    cores,
    'Threads of one of them on the CPU.',
    'the cores',
  ),
  inferenceProviders: row(
    'inference.providers',
    listOf(oneOf(PROVIDERS), PROVIDERS.join(', '), 1),
    ['cpu'],
    'What runs the models, the first that works on this box.',
  ),
  inferenceBatchMax: row('inference.batch_max', integer(1, 256), 8, 'Patches per model run.'),
  inferenceBatchWaitMs: row(
    'inference.batch_wait_ms',
    integer(0, 1000),
    4,
    'How long a model run waits for more patches, ms.',
  ),
  modelFolders: row(
    'models.folders',
    listOf(path, 'paths', 1),
    [builtInModels],
    'Folders that model packs are read from, besides `models/` in the data folder.',
    'the models that come with Assay',
  ),
  trustAnchorsFile: optional<string>(
    'provenance.trust_anchors_file',
    path,
    'PEM file of the certificate authorities whose C2PA signatures count as `Trusted`.',
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = {
  [N in SettingName]: (typeof SETTINGS)[N] extends { default: infer T } ? T : never;
};

/** Read by something other than the daemon's settings, so not unknown. */
export const OTHER_VARIABLES = ['ASSAY_CONFIG', 'ASSAY_ADDRESS', 'ASSAY_API_KEY'] as const;

export function variableOf(key: string): string {
  return `ASSAY_${key.replaceAll('.', '_').toUpperCase()}`;
}
