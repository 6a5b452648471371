/** A CRC-32 of the rest, then MessagePack: LMDB has no page checksums, so a flipped bit would be served as a record. */
import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import { AppError } from '../../domain/errors.ts';

const CHECKSUM_BYTES = 4;

/** A stored value whose bytes are not those that were written. */
export class DamagedRecordError extends AppError {
  readonly table: string;
  readonly key: unknown;

  constructor(table: string, key: unknown) {
    super('damaged', `damaged record in ${table}; an administrator can restore it from a backup`);
    this.table = table;
    this.key = key;
  }
}

const packr = new Packr({ useRecords: false, moreTypes: true });

export function encodeValue(value: unknown): Buffer {
  const body = packr.pack(value);
  const bytes = Buffer.allocUnsafe(CHECKSUM_BYTES + body.length);
  bytes.writeUInt32LE(crc32(body), 0);
  body.copy(bytes, CHECKSUM_BYTES);
  return bytes;
}

/** Throws DamagedRecordError if the checksum does not match. */
export function decodeValue(table: string, key: unknown, bytes: Buffer): unknown {
  const body = bytes.subarray(CHECKSUM_BYTES);
  if (bytes.length <= CHECKSUM_BYTES || bytes.readUInt32LE(0) !== crc32(body)) {
    throw new DamagedRecordError(table, key);
  }
  return packr.unpack(body);
}
