/** Reads the daemon's settings from a file and variables, and reports all faults at once; only this reads its environment. */
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { BackupsConfig } from '../app/appliance/backups.ts';
import type { Setting } from '../domain/contract/appliance.ts';
import { codeOf } from '../domain/error-code.ts';
import { driverEnvironment } from '../engine/inference/inference-environment.ts';
import type { TlsConfig } from '../machinery/tls.ts';
import { readTimestampRoots, readTls, readTrustAnchors, signingKeyFaults } from './certificates.ts';
import { type CollectedSettings, collectSettings, type SettingSources, showValue } from './collect.ts';
import { findCrossFaults } from './cross-faults.ts';
import type { SettingRow } from './setting-row.ts';
import { type SettingFault, SettingsError } from './settings-error.ts';
import {
  HALF_PROVIDERS,
  namesGpu,
  SETTINGS,
  type SettingName,
  type SettingValues,
  variableOf,
} from './table.ts';

export type Settings = ReturnType<typeof toSettings>;

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface SettingInput {
  /** The arguments after the command's name: `--config FILE` or nothing. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Reads a text file whole, or throws. */
  readFile: (path: string) => string;
}

/** Reads and checks all settings, or throws a SettingsError that lists every fault. */
export function loadSettings(input: SettingInput): Settings {
  const faults: SettingFault[] = [];
  const file = readConfigFile(input, faults);
  const collected = collectSettings({ env: input.env, file, readFile: input.readFile });
  faults.push(...collected.faults, ...findCrossFaults(collected), ...signingKeyFaults(collected));
  const trustAnchorsPem = readTrustAnchors(collected, input.readFile, faults);
  const tls = readTls(collected, input.readFile, faults);
  const timestampRootsPem = readTimestampRoots(collected, input.readFile, faults);
  const drivers = driverEnvironment(input.env);
  if (faults.length > 0) throw new SettingsError(faults);
  return freezeDeep(
    toSettings(collected, { drivers, trustAnchorsPem, timestampRootsPem, file: file?.whole ?? null }, tls),
  );
}

function readConfigFile(
  input: SettingInput,
  faults: SettingFault[],
): (NonNullable<SettingSources['file']> & { whole: string }) | null {
  const fromArgument = parseArguments(input.argv, faults);
  const path = fromArgument ?? input.env.ASSAY_CONFIG;
  if (path === undefined || path === '') return null;
  const place = fromArgument === undefined ? 'ASSAY_CONFIG' : '--config';
  try {
    return { path: basename(path), whole: resolve(path), toml: input.readFile(path) };
  } catch (error) {
    faults.push({ key: 'the file', place, expected: 'a readable file', found: `${path}: ${codeOf(error)}` });
    return null;
  }
}

function parseArguments(argv: readonly string[], faults: SettingFault[]): string | undefined {
  let path: string | undefined;
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? '';
    if (argument === '--config') {
      index += 1;
      path = argv[index];
      if (path !== undefined) continue;
    } else if (argument.startsWith('--config=')) {
      path = argument.slice('--config='.length);
      continue;
    }
    faults.push({ key: 'argument', place: 'command line', expected: '--config FILE', found: argument });
  }
  return path;
}

interface Bundles {
  /** What GPU drivers read of the environment. */
  drivers: Readonly<Record<string, string>>;
  trustAnchorsPem: string;
  timestampRootsPem: string | null;
  /** Whole path of the settings' file. */
  file: string | null;
}

function toSettings(collected: CollectedSettings, bundles: Bundles, tls: TlsConfig | null) {
  const { values, origins } = collected;
  const dataFolder = resolve(values.dataDir);
  return {
    dataFolder,
    store: { folder: dataFolder },
    engine: toEngineSettings(values, dataFolder, bundles),
    http: {
      listen: values.httpListen,
      /** Null: derived from the address that is listened on, known for sure only after binding (port 0). */
      publicUrl: values.publicUrl,
      allowedHosts: values.httpAllowedHosts,
      connectionsMax: values.httpConnectionsMax,
      behindProxy: values.behindProxy,
      trustedProxies: values.trustedProxies,
    },
    trustAnchorsFile: values.trustAnchorsFile,
    trustAnchorsPem: bundles.trustAnchorsPem,
    /** Null: both listeners speak clear text, on loopback or behind a proxy. */
    tls,
    backups: toBackupSettings(values),
    retention: { intervalMs: values.retentionIntervalMinutes * MINUTE_MS },
    grpc: { listen: values.grpcListen },
    app: {
      publicUrl: values.publicUrl ?? `${tls === null ? 'http' : 'https'}://${showValue(values.httpListen)}`,
      diskFreeBytesMin: values.diskFreeMin,
      termsRequired: values.termsRequired,
      searchElsewhere: values.searchElsewhere,
      registration: {
        isOpen: values.registrationOpen,
        planSku: values.registrationPlan,
        credits: values.registrationCredits,
      },
      uploadsMax: values.uploadsMax,
      unfinishedUploadMs: values.uploadsUnfinishedHours * HOUR_MS,
      fetchAllowNetworks: values.fetchAllowNetworks,
      fetchTimeoutMs: values.fetchTimeoutMs,
      fetchContact: values.fetchContact,
      manifestHosts: values.manifestHosts,
      webhookAllowNetworks: values.webhookAllowNetworks,
      watchRoots: values.watchRoots,
      timestampAuthorities: values.evidenceTimestampAuthorities,
      timestampRootsPem: bundles.timestampRootsPem,
    },
    admin: {
      email: values.adminEmail,
      password: values.adminPassword,
      apiKey: values.adminApiKey,
      rateLimitPerMinute: values.rateLimitPerMinute,
    },
    mail: {
      smtpUrl: values.mailSmtpUrl,
      from: values.mailFrom,
      language: values.mailLanguage,
      folder: join(dataFolder, 'mail'),
    },
    tracing:
      values.tracingEndpoint === null
        ? null
        : { endpoint: values.tracingEndpoint, authorization: values.tracingAuthorization },
    /** Null: the data folder's own key. */
    evidence: { signingKey: values.evidenceSigningKey },
    ...toWorkerSettings(values),
    log: { level: values.logLevel },
    origins: (Object.keys(SETTINGS) as SettingName[]).map((name) =>
      explainSetting(SETTINGS[name], values[name], origins[name], bundles.file),
    ),
  };
}

function toBackupSettings(values: SettingValues): BackupsConfig {
  return {
    folder: values.backupDir === null ? null : resolve(values.backupDir),
    intervalMs: values.backupIntervalHours * HOUR_MS,
    keep: values.backupKeep,
    ageMsMax: values.backupAgeHoursMax * HOUR_MS,
    withSecrets: values.backupWithSecrets,
    bytesPerSecondMax: values.backupBytesPerSecondMax,
  };
}

/** `nats` is null if no workers on other boxes are served. */
function toWorkerSettings(values: SettingValues) {
  const { natsServers: servers, natsNkeySeed: nkeySeed, natsCaFile: caFile } = values;
  const { natsAllowUnauthenticated: allowUnauthenticated } = values;
  const { workersListen: listen, workersMediaUrl: mediaUrl, workersLeaseSeconds } = values;
  return {
    nats: servers.length === 0 ? null : { servers, nkeySeed, caFile, allowUnauthenticated },
    workers: { listen, mediaUrl, leaseMs: workersLeaseSeconds * SECOND_MS },
  };
}

/** Measured: larger batches keep a GPU busy, and more analyses fill them (docs/gpu.md). */
const ON_CPU = { batchMax: 8, analysesMax: 2 * availableParallelism() };
const ON_GPU = { batchMax: 32, analysesMax: 4 * availableParallelism() };

function toEngineSettings(values: SettingValues, dataFolder: string, { drivers }: Bundles) {
  const usual = namesGpu(values) ? ON_GPU : ON_CPU;
  return {
    dataFolder,
    decode: {
      slots: values.decodeSlots,
      memoryBytesMax: values.decodeMemoryBytesMax,
      stepTimeoutMs: values.decodeStepTimeoutMs,
    },
    inference: {
      processes: values.inferenceProcesses,
      threads: values.inferenceThreads,
      providers: values.inferenceProviders,
      halfProviders: values.inferencePrecision === 'half_where_exact' ? HALF_PROVIDERS : [],
      batchMax: values.inferenceBatchMax ?? usual.batchMax,
      batchWaitMs: values.inferenceBatchWaitMs,
      environment: drivers,
      keepLoadedMs: values.modelsKeepLoaded === 'always' ? Number.POSITIVE_INFINITY : HOUR_MS,
    },
    acceleratorRequire: values.acceleratorRequire,
    /** Absolute; the data folder's own comes last. */
    modelFolders: [...values.modelFolders.map((folder) => resolve(folder)), join(dataFolder, 'models')],
    attemptsMax: values.analysisAttemptsMax,
    analysisTimeoutMs: values.analysisTimeoutMs,
    probeWaitMs: values.probeWaitMs,
    probeTimeoutMs: values.probeTimeoutMs,
    queueMax: values.queueMax,
    analysesMax: values.runningMax ?? usual.analysesMax,
    stability: values.stability,
    renditions: { bytesMax: values.renditionBytesMax, diskFreeBytesMin: values.diskFreeMin },
    videoHeightMin: values.videoHeightMin,
    isolation: values.decodeIsolation,
    videoDecoder: values.decodeVideo,
  };
}

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) freezeDeep(child);
  return Object.freeze(value);
}

export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : JSON.stringify(showValue(value));
}

/** The table that the key belongs to, and the key with its value. */
function settingLines(key: string, value: string): string {
  const dot = key.lastIndexOf('.');
  const line = `${key.slice(dot + 1)} = ${value}`;
  return dot < 0 ? line : `[${key.slice(0, dot)}]\n${line}`;
}

/** The lines say the value as it is, or one to begin with; a secret is never printed. */
function explainSetting(
  { key, parser, description, example }: SettingRow<unknown>,
  value: unknown,
  origin: string,
  file: string | null,
): Setting {
  const isHidden = value === null || parser.isSecret === true;
  const isUnset = value === null || (Array.isArray(value) && value.length === 0);
  const begin = example ?? JSON.stringify(parser.expected);
  const lines = settingLines(key, isHidden || (isUnset && example !== undefined) ? begin : tomlValue(value));
  const takes = parser.expected;
  return { key, value: showValue(value), origin, file, lines, variable: variableOf(key), takes, description };
}
