/** Return codes of the media library: memory and disk are this box's fault, end and “try again” are none. */
import { AV_LOG_QUIET, AVERROR_EOF } from 'node-av/constants';
import { FFmpegError, Log, PosixError } from 'node-av/lib';
import { MediaFaultFound } from '../media/media-fault.ts';

// A hostile file makes the library log thousands of lines; faults come back as codes.

Log.setLevel(AV_LOG_QUIET);

const OWN_CODES = [PosixError.ENOMEM, PosixError.ENOSPC, PosixError.EMFILE].map((name): number =>
  FFmpegError.AVERROR(name),
);

export const isEnd = (code: number): boolean => code === AVERROR_EOF;

/** Throws if a code is our own fault, so that a fresh child may succeed. */
export function assertNotOwnFault(code: number): void {
  if (OWN_CODES.includes(code))
    throw new Error(`the media library ran out of resources: ${FFmpegError.strerror(code)}`);
}

/** For calls whose failure says that the file is damaged: `what` completes “…: ”. */
export function assertMedia(code: number, what: string): number {
  if (code >= 0) return code;
  assertNotOwnFault(code);
  throw new MediaFaultFound('corrupt', `${what} (${FFmpegError.strerror(code)})`);
}

/** For calls that fail only by a mistake of ours. */
export function assertDone(code: number, what: string): number {
  if (code >= 0) return code;
  throw new Error(`${what}: ${FFmpegError.strerror(code)}`);
}
