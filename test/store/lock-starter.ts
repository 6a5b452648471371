/** A process that takes and gives back locks of data folders as its parent asks (lock-races.ts). */
import { FolderInUseError, FolderLock } from '../../src/store/lock.ts';

export type StarterOrder = { type: 'take'; folder: string; waitMs: number } | { type: 'release' };
export type StarterAnswer =
  | { type: 'waiting' }
  | { type: 'taken' }
  | { type: 'refused'; message: string }
  | { type: 'released' };

/** Touched, so that the kernel has something to take back when the process is killed. */
const ballast = Buffer.alloc(Number(process.env.BALLAST_BYTES ?? '0'), 1);
let lock: FolderLock | undefined;

async function obey(order: StarterOrder): Promise<StarterAnswer> {
  if (order.type === 'release') {
    await lock?.[Symbol.asyncDispose]();
    lock = undefined;
    return { type: 'released' };
  }
  try {
    lock = await FolderLock.acquire(order.folder, order.waitMs);
    return { type: 'taken' };
  } catch (error) {
    if (error instanceof FolderInUseError) return { type: 'refused', message: error.message };
    throw error;
  }
}

process.on('message', async (order: StarterOrder) => process.send?.(await obey(order)));
process.send?.({ type: 'waiting', ballastBytes: ballast.length });
