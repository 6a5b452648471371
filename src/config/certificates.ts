/** Certificates and keys that settings name: read and checked at the start, while the operator watches. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { codeOf } from '../domain/error-code.ts';
import { parsePrivateKey, SigningKeyError } from '../machinery/signing-key.ts';
import type { TlsConfig } from '../machinery/tls.ts';
import type { CollectedSettings } from './collect.ts';
import type { SettingFault } from './settings-error.ts';
import { SETTINGS, type SettingName } from './table.ts';

type ReadFile = (path: string) => string;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The bundle's text, or an empty string if none is set or it is at fault. */
export function readTrustAnchors(
  collected: CollectedSettings,
  readFile: ReadFile,
  faults: SettingFault[],
): string {
  return readCertificates(collected, 'trustAnchorsFile', readFile, faults) ?? '';
}

/** The bundle's text; null if none is set or it is at fault. */
export function readTimestampRoots(
  collected: CollectedSettings,
  readFile: ReadFile,
  faults: SettingFault[],
): string | null {
  return readCertificates(collected, 'evidenceTimestampRootsFile', readFile, faults);
}

/** Null if TLS is not set or at fault. Only the paths are passed on: the files are read again when they change. */
export function readTls(
  collected: CollectedSettings,
  readFile: ReadFile,
  faults: SettingFault[],
): TlsConfig | null {
  const { tlsCertFile, tlsKeyFile, tlsClientCaFile } = collected.values;
  readCertificates(collected, 'tlsClientCaFile', readFile, faults);
  const certificate = readCertificates(collected, 'tlsCertFile', readFile, faults);
  const isMissing = (tlsCertFile === null) !== (tlsKeyFile === null);
  if (isMissing || (tlsClientCaFile !== null && tlsCertFile === null)) {
    const name = tlsCertFile === null ? 'tlsCertFile' : 'tlsKeyFile';
    const expected = 'both tls.cert_file and tls.key_file, since TLS needs both';
    faults.push({ ...placeOf(collected, name), expected, found: 'nothing' });
  }
  if (tlsKeyFile !== null) checkKey(collected, certificate, readFile, faults);
  if (tlsCertFile === null || tlsKeyFile === null) return null;
  return { certFile: tlsCertFile, keyFile: tlsKeyFile, clientCaFile: tlsClientCaFile };
}

/** Says what was found instead of the key, without its content. */
export function signingKeyFaults(collected: CollectedSettings): SettingFault[] {
  const pem = collected.values.evidenceSigningKey?.reveal();
  if (pem === undefined) return [];
  try {
    parsePrivateKey(pem);
    return [];
  } catch (error) {
    if (!(error instanceof SigningKeyError)) throw error;
    const { expected } = SETTINGS.evidenceSigningKey.parser;
    return [{ ...placeOf(collected, 'evidenceSigningKey'), expected, found: error.message }];
  }
}

function checkKey(
  collected: CollectedSettings,
  certificate: string | null,
  readFile: ReadFile,
  faults: SettingFault[],
): void {
  const path = collected.values.tlsKeyFile ?? '';
  const place = placeOf(collected, 'tlsKeyFile');
  const text = readText(path, { ...place, expected: 'a readable PEM file' }, readFile, faults);
  if (text === null) return;
  try {
    const key = createPrivateKey(text);
    if (certificate === null || new X509Certificate(certificate).checkPrivateKey(key)) return;
    faults.push({
      ...place,
      expected: 'the private key of the certificate in tls.cert_file',
      found: 'another',
    });
  } catch {
    faults.push({
      ...place,
      expected: 'a private key in PEM without a passphrase',
      found: `none in ${path}`,
    });
  }
}

/** Every certificate of the file must parse: a faulty one would be left out silently. */
function readCertificates(
  collected: CollectedSettings,
  name: 'trustAnchorsFile' | 'tlsCertFile' | 'tlsClientCaFile' | 'evidenceTimestampRootsFile',
  readFile: ReadFile,
  faults: SettingFault[],
): string | null {
  const path = collected.values[name];
  if (path === null) return null;
  const place = placeOf(collected, name);
  const pem = readText(path, { ...place, expected: 'a readable PEM file' }, readFile, faults);
  if (pem === null) return null;
  const blocks = pem.match(CERTIFICATE) ?? [];
  const begun = pem.split('-----BEGIN CERTIFICATE-----').length - 1;
  const bad = blocks.findIndex((block) => !isCertificate(block));
  if (blocks.length > 0 && blocks.length === begun && bad === -1) return pem;
  const which = bad === -1 ? begun : bad + 1;
  const found = begun === 0 ? `no certificate in ${path}` : `certificate ${which} of ${path} cannot be read`;
  faults.push({ ...place, expected: 'a PEM file of certificates', found });
  return null;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

function readText(
  path: string,
  fault: Omit<SettingFault, 'found'>,
  readFile: ReadFile,
  faults: SettingFault[],
): string | null {
  try {
    return readFile(path);
  } catch (error) {
    faults.push({ ...fault, found: `${path}: ${codeOf(error)}` });
    return null;
  }
}

function placeOf({ origins }: CollectedSettings, name: SettingName): Pick<SettingFault, 'key' | 'place'> {
  return { key: SETTINGS[name].key, place: origins[name] };
}
