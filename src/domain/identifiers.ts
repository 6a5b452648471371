/** The grammar of identifiers and hashes: 64 hex characters (32 bytes). */

const HEX_64 = /^[0-9a-f]{64}$/;

export const isHex64 = (text: string): boolean => HEX_64.test(text);
