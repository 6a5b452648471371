/** Faults of settings that are right by themselves and wrong together. */
import { isAbsolute, relative, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { type CollectedSettings, showValue } from './collect.ts';
import type { SettingFault } from './settings-error.ts';
import { HALF_PROVIDERS, namesGpu, SETTINGS, type SettingName } from './table.ts';

export function findCrossFaults(collected: CollectedSettings): SettingFault[] {
  return [
    ...exposureFaults(collected),
    ...portFaults(collected),
    ...acceleratorFaults(collected),
    ...precisionFaults(collected),
    ...backupFaults(collected),
    ...tracingFaults(collected),
    ...watchFaults(collected),
    ...workerFaults(collected),
    ...brokerFaults(collected),
  ];
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** Keys and media must not cross a network in clear text by an oversight. */
function exposureFaults(collected: CollectedSettings): SettingFault[] {
  const { values } = collected;
  if (values.behindProxy || values.tlsCertFile !== null) return [];
  const exposed = (['httpListen', 'grpcListen'] as const).filter((name) => !isLoopback(values[name].host));
  return exposed.map((name) =>
    faultOf(
      collected,
      name,
      'a loopback address, or tls.cert_file and tls.key_file, or behind_proxy = true where a proxy in front ends TLS: keys and media would cross the network in clear text',
    ),
  );
}

function portFaults(collected: CollectedSettings): SettingFault[] {
  const { httpListen: http, grpcListen: grpc } = collected.values;
  if (http.port === 0 || http.port !== grpc.port || http.host !== grpc.host) return [];
  return [faultOf(collected, 'grpcListen', 'another port than http.listen')];
}

/** A box that must use its GPU and names none would never be ready. */
function acceleratorFaults(collected: CollectedSettings): SettingFault[] {
  const { acceleratorRequire: required } = collected.values;
  const isGpuNamed = namesGpu(collected.values);
  if (required === 'gpu' && !isGpuNamed) {
    const expected = 'tensorrt, cuda or webgpu, since accelerator.require is gpu';
    return [faultOf(collected, 'inferenceProviders', expected)];
  }
  if (required !== 'cpu' || !isGpuNamed) return [];
  return [faultOf(collected, 'inferenceProviders', 'cpu alone, since accelerator.require is cpu')];
}

/** A precision that no listed provider supports would be ignored silently. */
function precisionFaults(collected: CollectedSettings): SettingFault[] {
  const { inferencePrecision: precision, inferenceProviders: providers } = collected.values;
  if (precision === 'full' || providers.some((provider) => HALF_PROVIDERS.includes(provider))) return [];
  const expected = `full, since inference.providers names neither ${HALF_PROVIDERS.join(' nor ')}`;
  return [faultOf(collected, 'inferencePrecision', expected)];
}

/** Traces show who submits what and when, without names; the collector's key is sent along. */
function tracingFaults(collected: CollectedSettings): SettingFault[] {
  const { tracingEndpoint } = collected.values;
  if (tracingEndpoint === null) return [];
  const { protocol, hostname } = new URL(tracingEndpoint);
  if (protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return [];
  return [faultOf(collected, 'tracingEndpoint', 'https, or http to a loopback address')];
}

/** A backup on the same disk or folder as its source would be lost with it. */
function backupFaults(collected: CollectedSettings): SettingFault[] {
  const { backupDir, dataDir } = collected.values;
  if (backupDir === null) return [];
  const inside = relative(resolve(dataDir), resolve(backupDir));
  if (inside.startsWith('..') || isAbsolute(inside)) return [];
  return [faultOf(collected, 'backupDir', 'a folder outside of data_dir')];
}

/** Assay's own files must not be submitted as media, nor moved by a rule. */
function watchFaults(collected: CollectedSettings): SettingFault[] {
  const data = resolve(collected.values.dataDir);
  const isWithin = (inner: string, outer: string): boolean => {
    const way = relative(outer, inner);
    return !way.startsWith('..') && !isAbsolute(way);
  };
  const isApart = collected.values.watchRoots.every((root) => !isWithin(root, data) && !isWithin(data, root));
  return isApart ? [] : [faultOf(collected, 'watchRoots', 'folders that neither hold nor lie in data_dir')];
}

/** Work that no executor can do would wait forever; media that cross a network must be encrypted. */
function workerFaults(collected: CollectedSettings): SettingFault[] {
  const { natsServers, workersListen, runningMax, tlsCertFile } = collected.values;
  if (runningMax === 0 && natsServers.length === 0) {
    return [
      faultOf(collected, 'runningMax', 'at least 1, since nats.servers names none that workers come by'),
    ];
  }
  if (workersListen === null || tlsCertFile !== null || isLoopback(workersListen.host)) return [];
  return [faultOf(collected, 'workersListen', 'a loopback address, or tls.cert_file and tls.key_file')];
}

/** Leases and figures must not cross a network in clear text, nor reach unknown callers, by an oversight. */
function brokerFaults(collected: CollectedSettings): SettingFault[] {
  const { natsServers, natsNkeySeed, natsAllowUnauthenticated } = collected.values;
  if (natsServers.length === 0) return [];
  const faults: SettingFault[] = [];
  if (natsServers.some((server) => server.startsWith('nats://') && !isLoopback(hostOf(server)))) {
    faults.push(faultOf(collected, 'natsServers', 'tls:// for each address that is no loopback address'));
  }
  if (natsNkeySeed === null && !natsAllowUnauthenticated) {
    const expected =
      'the seed of this box’s nkey (assay worker setup makes one), or nats.allow_unauthenticated = true';
    faults.push(faultOf(collected, 'natsNkeySeed', expected));
  }
  return faults;
}

/** Host of `nats://host:port`, an IPv6 address without its brackets. */
function hostOf(server: string): string {
  const [, bracketed, plain] = /^\w+:\/\/(?:\[([^\]]*)\]|([^:]*))/.exec(server) ?? [];
  return bracketed ?? plain ?? '';
}

function faultOf({ values, origins }: CollectedSettings, name: SettingName, expected: string): SettingFault {
  const found = JSON.stringify(showValue(values[name]));
  return { key: SETTINGS[name].key, place: origins[name], expected, found };
}
