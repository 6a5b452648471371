/** The grammar of identifiers and hashes: 64 hex characters (32 bytes). */

const HEX_64 = /^[0-9a-f]{64}$/;

/** Whether the text is a classification identifier or a SHA-256 in lower-case hex. */
export function isHex64(text: string): boolean {
  return HEX_64.test(text);
}
