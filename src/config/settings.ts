/**
 * The daemon's settings: one file, every key also as a variable, all faults at once. Each component receives only
 * its own slice. The only place that reads the environment of the daemon.
 */
import { basename, join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { AppConfig } from '../app/app.ts';
import { type CollectedSettings, collectSettings, type SettingSources, showValue } from './collect.ts';
import type { ListenAddress } from './parsers.ts';
import type { Secret } from './secret.ts';
import { type SettingFault, SettingsError } from './settings-error.ts';
import { SETTINGS, type SettingName, type SettingValues } from './table.ts';

export interface EngineSettings {
  dataFolder: string;
  decode: { slots: number; memoryBytesMax: number; stepTimeoutMs: number };
  inference: {
    processes: number;
    threads: number;
    providers: SettingValues['inferenceProviders'];
    batchMax: number;
    batchWaitMs: number;
  };
  /** Absolute; the data folder's own comes last. */
  modelFolders: string[];
  /** PEM bundle, or an empty string. */
  trustAnchorsPem: string;
  attemptsMax: number;
  analysisTimeoutMs: number;
  probeWaitMs: number;
  queueMax: number;
  analysesMax: number;
  stability: boolean;
  isolation: SettingValues['decodeIsolation'];
}

export interface HttpSettings {
  listen: ListenAddress;
  /** Null: derived from the address that is listened on, known for sure only after binding (port 0). */
  publicUrl: string | null;
  allowedHosts: string[];
  behindProxy: boolean;
}

export interface Settings {
  dataFolder: string;
  store: { folder: string };
  engine: EngineSettings;
  http: HttpSettings;
  grpc: { listen: ListenAddress };
  app: AppConfig;
  admin: { email: string; password: Secret | null; apiKey: Secret | null; rateLimitPerMinute: number };
  webhook: { allowNetworks: string[] };
  log: { level: SettingValues['logLevel'] };
  /** Every setting with its value as text (secrets hidden) and where it came from. */
  origins: { key: string; value: string; origin: string }[];
}

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
  const collected = collectSettings({ env: input.env, file });
  faults.push(...collected.faults, ...crossFaults(collected));
  const trustAnchorsPem = readTrustAnchors(collected, input.readFile, faults);
  if (faults.length > 0) throw new SettingsError(faults);
  return freezeDeep(toSettings(collected, trustAnchorsPem));
}

function readConfigFile(input: SettingInput, faults: SettingFault[]): SettingSources['file'] {
  const fromArgument = parseArguments(input.argv, faults);
  const path = fromArgument ?? input.env.ASSAY_CONFIG;
  if (path === undefined || path === '') return null;
  const place = fromArgument === undefined ? 'ASSAY_CONFIG' : '--config';
  try {
    return { path: basename(path), toml: input.readFile(path) };
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function crossFaults({ values, origins }: CollectedSettings): SettingFault[] {
  const faults: SettingFault[] = [];
  for (const name of ['httpListen', 'grpcListen'] as const) {
    if (values.behindProxy || isLoopback(values[name].host)) continue;
    faults.push({
      key: SETTINGS[name].key,
      place: origins[name],
      expected:
        'a loopback address, or behind_proxy = true where a proxy in front ends TLS: keys and media would cross the network in clear text',
      found: JSON.stringify(showValue(values[name])),
    });
  }
  const { httpListen: http, grpcListen: grpc } = values;
  if (http.port !== 0 && http.port === grpc.port && http.host === grpc.host) {
    const found = JSON.stringify(showValue(grpc));
    faults.push({
      key: SETTINGS.grpcListen.key,
      place: origins.grpcListen,
      expected: 'another port than http.listen',
      found,
    });
  }
  return faults;
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

function readTrustAnchors(
  { values, origins }: CollectedSettings,
  readFile: SettingInput['readFile'],
  faults: SettingFault[],
): string {
  const path = values.trustAnchorsFile;
  if (path === null) return '';
  const fault = { key: SETTINGS.trustAnchorsFile.key, place: origins.trustAnchorsFile };
  try {
    const pem = readFile(path);
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
    faults.push({ ...fault, expected: 'a PEM file of certificates', found: `no certificate in ${path}` });
  } catch (error) {
    faults.push({ ...fault, expected: 'a readable PEM file', found: `${path}: ${codeOf(error)}` });
  }
  return '';
}

function toSettings(collected: CollectedSettings, trustAnchorsPem: string): Settings {
  const { values, origins } = collected;
  const dataFolder = resolve(values.dataDir);
  return {
    dataFolder,
    store: { folder: dataFolder },
    engine: toEngineSettings(values, dataFolder, trustAnchorsPem),
    http: {
      listen: values.httpListen,
      publicUrl: values.publicUrl,
      allowedHosts: values.httpAllowedHosts,
      behindProxy: values.behindProxy,
    },
    grpc: { listen: values.grpcListen },
    app: {
      publicUrl: values.publicUrl ?? `http://${showValue(values.httpListen)}`,
      diskFreeBytesMin: values.diskFreeMin,
      termsRequired: values.termsRequired,
      uploadsMax: values.uploadsMax,
      fetchAllowNetworks: values.fetchAllowNetworks,
      fetchTimeoutMs: values.fetchTimeoutMs,
    },
    admin: {
      email: values.adminEmail,
      password: values.adminPassword,
      apiKey: values.adminApiKey,
      rateLimitPerMinute: values.rateLimitPerMinute,
    },
    webhook: { allowNetworks: values.webhookAllowNetworks },
    log: { level: values.logLevel },
    origins: (Object.keys(SETTINGS) as SettingName[]).map((name) => ({
      key: SETTINGS[name].key,
      value: showValue(values[name]),
      origin: origins[name],
    })),
  };
}

function toEngineSettings(
  values: SettingValues,
  dataFolder: string,
  trustAnchorsPem: string,
): EngineSettings {
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
      batchMax: values.inferenceBatchMax,
      batchWaitMs: values.inferenceBatchWaitMs,
    },
    modelFolders: [...values.modelFolders.map((folder) => resolve(folder)), join(dataFolder, 'models')],
    trustAnchorsPem,
    attemptsMax: values.analysisAttemptsMax,
    analysisTimeoutMs: values.analysisTimeoutMs,
    probeWaitMs: values.probeWaitMs,
    queueMax: values.queueMax,
    analysesMax: values.runningMax,
    stability: values.stability,
    isolation: values.decodeIsolation,
  };
}

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) freezeDeep(child);
  return Object.freeze(value);
}
