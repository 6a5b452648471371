/** The C2PA reader's settings: it fetches nothing, and takes all lists as one; vouchers.ts finds the one that vouches. */
import {
  appliedLists,
  type TrustListMaterial,
  type TrustMaterial,
} from '../../domain/provenance/trust-list.ts';

const PEM_LINE = /.{64}(?=.)/g;

/** For a file whose signer was revoked, which the reader refuses whole if it has trust lists. */
export const WITHOUT_TRUST = JSON.stringify({
  verify: { remote_manifest_fetch: false, ocsp_fetch: false, verify_trust: false },
  core: { allowed_network_hosts: [] },
});

/** Opens a store without judging it, in milliseconds, whatever it holds. */
export const UNJUDGED = JSON.stringify({
  verify: {
    remote_manifest_fetch: false,
    ocsp_fetch: false,
    verify_trust: false,
    verify_after_reading: false,
  },
  core: { allowed_network_hosts: [] },
});

let known: { key: string; settings: string } | undefined;

/** JSON with snake_case names: the reader silently ignores others. */
export function settingsFor(trust: TrustMaterial): string {
  const key = JSON.stringify([appliedLists(trust), trust.uses]);
  if (known?.key !== key) known = { key, settings: JSON.stringify(toSettings(trust)) };
  return known.settings;
}

function toSettings({ lists, uses }: TrustMaterial): object {
  const trust = bundle(lists, uses);
  return {
    verify: { remote_manifest_fetch: false, ocsp_fetch: false, verify_trust: true },
    core: { allowed_network_hosts: [] },
    ...(trust === null ? {} : { trust }),
  };
}

/** The reader refuses empty bundles. */
function bundle(lists: readonly TrustListMaterial[], uses: readonly string[]): object | null {
  const anchors = [...new Set(lists.flatMap(({ authorities }) => authorities))].map(toPem).join('');
  // It accepts a certificate's hash in place of the certificate, and reads it much faster.
  const allowed = lists.flatMap(({ single }) =>
    single.map((hash) => Buffer.from(hash, 'hex').toString('base64')),
  );
  if (anchors === '' && allowed.length === 0) return null;
  return {
    ...(anchors === '' ? {} : { trust_anchors: anchors }),
    ...(allowed.length === 0 ? {} : { allowed_list: allowed.join('\n') }),
    ...(uses.length === 0 ? {} : { trust_config: uses.join('\n') }),
  };
}

function toPem(base64: string): string {
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(PEM_LINE, '$&\n')}\n-----END CERTIFICATE-----\n`;
}
