/** Turns the reader's exception for a revoked signer (by a stapled OCSP answer) into its code. */
import { asList, asObject } from './hostile-json.ts';
import type { SignatureBox } from './signature-box.ts';

const CODE = 'signingCredential.ocsp.revoked';

/** Reports it for each manifest with a stapled answer: the reader does not say which one it was. */
export function withRevocation(value: unknown, boxes: readonly SignatureBox[]): unknown {
  const json = asObject(value);
  const results = asObject(json.validation_results);
  const active = asObject(results.activeManifest);
  const statuses = boxes
    .filter(({ hasStapled }) => hasStapled)
    .map(({ label }) => ({
      code: CODE,
      url: `self#jumbf=/c2pa/${label}/c2pa.signature`,
      explanation: 'the stapled answer says that the certificate was revoked',
    }));
  const failure = [...asList(active.failure), ...statuses];
  return {
    ...json,
    validation_state: 'Invalid',
    validation_status: [...asList(json.validation_status), ...statuses],
    validation_results: { ...results, activeManifest: { ...active, failure } },
  };
}
