/** Every setting, one row each; a variable's name follows from its key. Prints docs/settings.md and assay.example.toml. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PROGRAM_FOLDER } from '../machinery/program-folder.ts';
import { ACCOUNT_SETTINGS } from './account-settings.ts';
import {
  absolutePath,
  addressOrNetwork,
  boolean,
  cidr,
  hostName,
  httpUrl,
  integer,
  type ListenAddress,
  listenAddress,
  listOf,
  oneOf,
  secret,
  size,
  text,
  timestampAuthority,
  webOrigin,
} from './parsers.ts';
import type { Secret } from './secret.ts';
import { optional, row, withExample } from './setting-row.ts';
import { WORKER_SETTINGS } from './worker-settings.ts';

export const PROVIDERS = ['tensorrt', 'cuda', 'webgpu', 'cpu'] as const;
/** Providers with half-precision kernels; the runtime hides TensorRT's option, and the CPU computes halves as singles. */
export const HALF_PROVIDERS: readonly string[] = ['cuda', 'webgpu'];
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const DAY_MS = 24 * 3600 * 1000;
const cores = availableParallelism();
const path = text('a path', /^[^\0]{1,4096}$/);
const host = text('a host name', /^[A-Za-z0-9.[\]:-]{1,255}$/);
/** Shipped with the program, beside src/. */
const builtInModels = join(PROGRAM_FOLDER, 'models');

function loopback(port: number): ListenAddress {
  return { host: '127.0.0.1', port };
}

export const SETTINGS = {
  dataDir: row('data_dir', path, './data', 'Folder that holds everything Assay stores.'),
  publicUrl: optional<string>(
    'public_url',
    webOrigin(),
    'Address under which clients reach HTTP; base of every `result_url`.',
    'http:// and the HTTP listener',
  ),
  behindProxy: row(
    'behind_proxy',
    boolean(),
    false,
    'A proxy in front ends TLS. A listener off loopback needs this or `tls.cert_file`.',
  ),
  trustedProxies: row(
    'trusted_proxies',
    listOf(addressOrNetwork(), 'addresses or networks like 10.0.0.5 or 10.0.0.0/8'),
    [],
    'Proxies whose `X-Forwarded-For` is believed.',
  ),
  rateLimitPerMinute: row(
    'rate_limit_per_minute',
    integer(0, 1_000_000),
    0,
    'Calls a minute that the `appliance` plan allows an account, over all interfaces together; 0 = no limit.',
  ),
  diskFreeMin: row('disk_free_min', size(0), GIB, 'Free disk below which new work is refused.'),
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
    'Further `Host` names that are answered.',
  ),
  httpConnectionsMax: row(
    'http.connections_max',
    integer(10, 1_000_000),
    10_000,
    'HTTP connections at once, watchers among them. Each holds a descriptor (`LimitNOFILE`).',
  ),
  grpcListen: row('grpc.listen', listenAddress(), loopback(8481), 'Where gRPC listens.'),
  ...ACCOUNT_SETTINGS,
  logLevel: row('log.level', oneOf(LOG_LEVELS), 'info', 'Least severity that is logged.'),
  fetchAllowNetworks: row(
    'fetch.allow_networks',
    listOf(cidr(), 'networks like 10.0.0.0/8'),
    [],
    'Private networks that media may be fetched from.',
  ),
  fetchTimeoutMs: row('fetch.timeout_ms', integer(1000, DAY_MS), 60_000, 'Longest fetch of an address, ms.'),
  fetchContact: optional<string>(
    'fetch.contact',
    text('an address or e-mail address of printable ASCII characters without brackets', /^[!-'*-~]{1,200}$/),
    'Contact for operators of other sites, sent in the `User-Agent` of fetches.',
  ),
  webhookAllowNetworks: withExample(
    row(
      'webhook.allow_networks',
      listOf(cidr(), 'networks like 10.0.0.0/8'),
      [],
      'Private networks that webhooks may be delivered to.',
    ),
    '["10.0.0.0/8"]',
  ),
  watchRoots: withExample(
    row(
      'watch.roots',
      listOf(absolutePath(), 'absolute paths'),
      [],
      'Folders that watched folders (`assay watch-folder`) must lie in; outside of `data_dir`.',
    ),
    '["/srv/desk"]',
  ),
  searchElsewhere: withExample(
    row(
      'search.elsewhere',
      listOf(httpUrl(), 'addresses of pages'),
      [],
      'Pages that search by picture, which results link to. Nothing is sent to them.',
    ),
    '["https://tineye.com/"]',
  ),
  uploadsMax: row(
    'uploads.max',
    integer(1, 100_000),
    2000,
    'Uploads at once, at most half of them of one account. Each holds two descriptors (`LimitNOFILE`).',
  ),
  uploadsUnfinishedHours: row(
    'uploads.unfinished_hours',
    integer(1, 720),
    24,
    'Hours for which a broken-off upload (gRPC with an upload id, tus) is kept.',
  ),
  queueMax: row('queue.max', integer(1, 10_000_000), 10_000, 'Analyses that may wait; more are refused.'),
  runningMax: optional<number>(
    'queue.running_max',
    integer(0, 1024),
    'Analyses in work at once on this box; 0: workers on other boxes do all.',
    'twice the cores, four times if a GPU is named',
  ),
  analysisAttemptsMax: row(
    'analysis.attempts_max',
    integer(1, 100),
    3,
    'Attempts before an analysis whose process died ends errored.',
  ),
  analysisTimeoutMs: row('analysis.timeout_ms', integer(1000, DAY_MS), 300_000, 'Longest analysis, ms.'),
  stability: row(
    'analysis.stability',
    boolean(),
    true,
    'Whether the models also judge recompressed and scaled copies if these could change the answer; a verdict that flips is inconclusive.',
  ),
  videoHeightMin: row(
    'limits.video_height_min',
    integer(1, 4320),
    1,
    'Least height of a video in pixels, whatever a plan says.',
  ),
  probeWaitMs: row(
    'probe.wait_ms',
    integer(100, 600_000),
    40_000,
    'Longest wait of a submission for its probe, ms. With `probe.timeout_ms` it should stay below a proxy’s timeout.',
  ),
  probeTimeoutMs: row(
    'probe.timeout_ms',
    integer(100, 600_000),
    15_000,
    'Longest probe, ms; a second one is made before the file is refused.',
  ),
  decodeSlots: row('decode.slots', integer(1, 512), cores, 'Decode processes at work at once.', 'the cores'),
  decodeMemoryBytesMax: row(
    'decode.memory_bytes_max',
    size(256 * MIB),
    3 * GIB,
    'Memory of one decode process; more costs the analysis an attempt.',
  ),
  decodeStepTimeoutMs: row(
    'decode.step_timeout_ms',
    integer(100, DAY_MS),
    60_000,
    'Longest single step of a decode process, ms.',
  ),
  decodeIsolation: row(
    'decode.isolation',
    oneOf(['auto', 'require', 'any']),
    'auto',
    'How decode processes are isolated: `auto` takes the strongest way of this box, and refuses to start as root with neither bubblewrap nor Landlock; `any` does not refuse; `require` refuses without bubblewrap.',
  ),
  decodeVideo: row(
    'decode.video',
    oneOf(['cpu', 'prefer-gpu', 'require-gpu']),
    'cpu',
    'What decodes video. Without an NVIDIA GPU `prefer-gpu` takes the CPU and says so in status, `require-gpu` is not ready. Either lets decode processes reach the GPU.',
  ),
  renditionBytesMax: row(
    'rendition.bytes_max',
    size(0),
    20 * GIB,
    'Disk that all renditions may take; the longest unseen go first.',
  ),
  acceleratorRequire: row(
    'accelerator.require',
    oneOf(['any', 'gpu', 'cpu']),
    'any',
    'What models may run on. With `gpu`, a model on the CPU makes the box not ready; with `cpu`, no other provider may be named.',
  ),
  inferenceProcesses: row('inference.processes', integer(1, 64), 1, 'Processes that hold the models.'),
  inferenceThreads: row(
    'inference.threads',
    integer(1, 512),
    cores,
    'Threads of each on the CPU.',
    'the cores',
  ),
  inferenceProviders: row(
    'inference.providers',
    listOf(oneOf(PROVIDERS), PROVIDERS.join(', '), 1),
    ['cpu'],
    'What runs the models: the first that works.',
  ),
  inferencePrecision: row(
    'inference.precision',
    oneOf(['full', 'half_where_exact']),
    'full',
    'With `half_where_exact`, `cuda` and `webgpu` run a model in half precision if its self-test holds in it.',
  ),
  inferenceBatchMax: optional<number>(
    'inference.batch_max',
    integer(1, 256),
    'Patches per model run.',
    '8, 32 if a GPU is named',
  ),
  inferenceBatchWaitMs: row(
    'inference.batch_wait_ms',
    integer(0, 1000),
    4,
    'Wait of a model run for more patches, ms.',
  ),
  modelFolders: row(
    'models.folders',
    listOf(path, 'paths', 1),
    [builtInModels],
    'Folders of model packs, besides `models/` in the data folder.',
    'the models that come with Assay',
  ),
  modelsKeepLoaded: row(
    'models.keep_loaded',
    oneOf(['last_hour', 'always']),
    'last_hour',
    'Which checked models stay in memory: those used in the last hour, or all. On a GPU all stay.',
  ),
  tlsCertFile: optional<string>(
    'tls.cert_file',
    path,
    'PEM file of the certificate with its chain, for both listeners (TLS 1.3); read again if it changes.',
  ),
  tlsKeyFile: optional<string>('tls.key_file', path, 'PEM file of its private key, without a passphrase.'),
  tlsClientCaFile: optional<string>(
    'tls.client_ca_file',
    path,
    'PEM file of the issuers of client certificates, which gRPC then demands besides the key.',
  ),
  backupDir: withExample(
    optional<string>('backup.dir', path, 'Folder of the backups, outside of `data_dir`.'),
    '"/var/backups/assay"',
  ),
  backupIntervalHours: row(
    'backup.interval_hours',
    integer(0, 8760),
    24,
    'Hours between two backups; 0 = only on request.',
  ),
  backupKeep: row('backup.keep', integer(1, 10_000), 7, 'Backups in `backup.dir` that are kept.'),
  backupAgeHoursMax: row(
    'backup.age_hours_max',
    integer(1, 87_600),
    48,
    'Age of the last good backup past which status and metrics warn.',
  ),
  backupWithSecrets: row(
    'backup.with_secrets',
    boolean(),
    false,
    'Whether backups hold the key that seals API keys. Without it restored keys work but cannot be shown.',
  ),
  backupBytesPerSecondMax: row(
    'backup.bytes_per_second_max',
    size(0),
    200 * MIB,
    'Bytes of media that a backup copies in a second; 0 = no bound.',
  ),
  evidenceSigningKey: optional<Secret>(
    'evidence.signing_key',
    secret('an Ed25519 private key in PEM (PKCS#8), without a passphrase', /^[^\0]{1,4096}$/),
    'The key that signs evidence packages.',
    'a key of the data folder',
  ),
  evidenceTimestampAuthorities: row(
    'evidence.timestamp_authorities',
    listOf(timestampAuthority(), 'https addresses'),
    [],
    'Timestamp authorities (RFC 3161) that stamp the signature of each package. They learn a hash. One in a private network has to be in `fetch.allow_networks`.',
  ),
  evidenceTimestampRootsFile: optional<string>(
    'evidence.timestamp_roots_file',
    absolutePath(),
    'PEM bundle of the roots of those authorities, put into packages; tokens that do not lead to one are refused.',
    'roots are not checked',
  ),
  ...WORKER_SETTINGS,
  retentionIntervalMinutes: row(
    'retention.interval_minutes',
    integer(1, 1440),
    60,
    'Minutes between two deletions of media and records whose time is up.',
  ),
  tracingEndpoint: optional<string>(
    'tracing.endpoint',
    httpUrl(),
    'OpenTelemetry collector (OTLP over HTTP) that gets a trace of each submission: https, or http on loopback.',
  ),
  tracingAuthorization: optional<Secret>(
    'tracing.authorization',
    secret('printable ASCII characters', /^[\x20-\x7e]{1,4096}$/),
    'The header `authorization` that the collector wants, as `Bearer …`.',
  ),
  trustAnchorsFile: optional<string>(
    'provenance.trust_anchors_file',
    path,
    'PEM file of further certificate authorities whose C2PA signatures and time stamps count.',
  ),
  manifestHosts: row(
    'provenance.manifest_hosts',
    listOf(hostName(), 'host names like manifests.example.org'),
    [],
    'Hosts that C2PA manifests may be fetched from if a file only names their address. They learn that the file is here.',
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = {
  [N in SettingName]: (typeof SETTINGS)[N] extends { default: infer T } ? T : never;
};

export function namesGpu({ inferenceProviders }: Pick<SettingValues, 'inferenceProviders'>): boolean {
  return inferenceProviders.some((provider) => provider !== 'cpu');
}

/** Variables that other parts than the daemon's settings read, so not unknown. */
export const OTHER_VARIABLES = [
  ...['ASSAY_CONFIG', 'ASSAY_ADDRESS', 'ASSAY_API_KEY'],
  ...['ASSAY_CA_FILE', 'ASSAY_CLIENT_CERT_FILE', 'ASSAY_CLIENT_KEY_FILE'],
] as const;

export const variableOf = (key: string): string => `ASSAY_${key.replaceAll('.', '_').toUpperCase()}`;
