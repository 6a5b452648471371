/** Brings the reader's JSON into the documented fields (docs/interface.md), within a size that a record can carry. */
import type { C2paReport, C2paStatus } from '../../domain/provenance/provenance.ts';

/** A manifest may embed anything; a record is read into memory by every list that shows it. */
export const REPORT_BYTES_MAX = 1024 * 1024;
/** Length of a name or a sentence; real ones have a few hundred. */
export const TEXT_CHARACTERS_MAX = 1000;
const STATUSES_MAX = 100;

interface ReaderJson {
  manifests?: Record<string, unknown>;
  active_manifest?: string | null;
  validation_state?: string | null;
  validation_status?: { url?: string | null; code: string; explanation?: string | null }[] | null;
  validation_results?: {
    activeManifest?: { failure?: unknown[]; success?: unknown[]; informational?: unknown[] } | null;
    ingredientDeltas?: unknown[] | null;
  } | null;
}

export function toC2paReport(value: unknown): C2paReport {
  const json = value as ReaderJson;
  const active = json.validation_results?.activeManifest;
  return {
    manifests: json.manifests ?? {},
    active_manifest: json.active_manifest ?? '',
    validation_state: json.validation_state ?? '',
    validation_status: (json.validation_status ?? []).map(toStatus),
    validation_results: {
      activeManifest: {
        failure: active?.failure ?? [],
        success: active?.success ?? [],
        informational: active?.informational ?? [],
      },
      ingredientDeltas: json.validation_results?.ingredientDeltas ?? [],
    },
  };
}

function toStatus(status: { url?: string | null; code: string; explanation?: string | null }): C2paStatus {
  return {
    url: cutText(status.url),
    code: cutText(status.code),
    explanation: cutText(status.explanation),
  };
}

/** Drops assertions' contents first, then all but the names, until the report fits. */
export function boundReport(report: C2paReport): C2paReport {
  if (fits(report)) return report;
  const lean = { ...report, manifests: mapManifests(report, withoutAssertionData) };
  if (fits(lean)) return lean;
  return boundToNames(report);
}

/** Looked up among the report's own keys: a label may be `__proto__`. */
export function activeManifest({ manifests, active_manifest }: C2paReport): unknown {
  return new Map(Object.entries(manifests)).get(active_manifest);
}

export function cutText(text: string | null | undefined): string {
  return (text ?? '').slice(0, TEXT_CHARACTERS_MAX).toWellFormed();
}

function boundToNames(report: C2paReport): C2paReport {
  const label = cutText(report.active_manifest);
  const signature_info = signatureNames(activeManifest(report));
  return {
    manifests: { [label]: { signature_info, ...LEFT_OUT } },
    active_manifest: label,
    validation_state: report.validation_state,
    validation_status: report.validation_status.slice(0, STATUSES_MAX),
    validation_results: {
      activeManifest: { failure: [], success: [], informational: [] },
      ingredientDeltas: [],
    },
  };
}

const LEFT_OUT = { left_out: 'the report is larger than 1 MB' };

const fits = (report: C2paReport): boolean => Buffer.byteLength(JSON.stringify(report)) <= REPORT_BYTES_MAX;

function mapManifests(report: C2paReport, change: (manifest: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(report.manifests).map(([label, it]) => [label, change(it)]));
}

function withoutAssertionData(manifest: unknown): unknown {
  const { assertions, ...rest } = manifest as { assertions?: { label: string }[] };
  return { ...rest, assertions: (assertions ?? []).map(({ label }) => ({ label, data: LEFT_OUT })) };
}

function signatureNames(manifest: unknown): unknown {
  const { signature_info } = (manifest ?? {}) as {
    signature_info?: { common_name?: string; issuer?: string };
  };
  return { common_name: cutText(signature_info?.common_name), issuer: cutText(signature_info?.issuer) };
}
