/** What is right and what is wrong with the box, each finding with what was seen and what to do about it. */

import type { Finding } from '../../../domain/contract/appliance.ts';
import type { WaitReason } from '../../../domain/records/wait-reason.ts';
import { assertAdmin } from '../../callers/authority.ts';
import type { Principal } from '../../callers/principal.ts';
import type { ApplianceParts } from '../parts.ts';
import { checkTls, checkTrustLists } from './certificates.ts';
import { checkGpu, checkModels } from './devices.ts';
import { bad, type Check, good, notice } from './finding.ts';
import {
  checkClock,
  checkDecoders,
  checkDescriptors,
  checkIsolation,
  checkLibraries,
  checkMemory,
  checkPorts,
} from './machine.ts';
import { checkMail } from './mail.ts';
import { checkBackup, checkDisk, checkFlush, checkOriginals, checkReaders, checkRecords } from './storage.ts';
import { checkAnswers, checkCustodyLog, checkPictureSearch } from './store-checks.ts';
import { checkTimestampAuthorities } from './timestamp-authorities.ts';
import { checkWatchedFolders } from './watched-folders.ts';
import { checkBroker, checkWorkers } from './workers.ts';

const CHECKS: readonly Check[] = [
  ...[checkModels, checkGpu, checkIsolation, checkDecoders, checkLibraries, checkMemory],
  ...[
    checkDisk,
    checkFlush,
    checkRecords,
    checkAnswers,
    checkPictureSearch,
    checkReaders,
    checkOriginals,
    checkCustodyLog,
  ],
  ...[checkBackup, checkQueue],
  ...[checkWatchedFolders, checkTimestampAuthorities, checkBroker, checkWorkers],
  ...[checkMail, checkClock, checkTls, checkTrustLists, checkPorts, checkDescriptors],
];

/** Administrators only. */
export async function examine(
  app: ApplianceParts,
  { principal }: { principal: Principal },
): Promise<Finding[]> {
  assertAdmin(principal);
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(...(await check(app, app.doctor)));
  return findings;
}

const HELD_ADVICE: Readonly<Record<WaitReason['step'], string>> = {
  'no-broker': 'start the NATS server of nats.servers, or look at the way to it; what waits is kept',
  'no-worker':
    'start a worker, resume one, or give this box places of its own (queue.running_max); what waits is kept',
  'kept-here':
    'let the plan say zero_retention_on_workers, or give this box places of its own (queue.running_max)',
  'not-ready': 'look at the models above; what waits is kept',
};

function checkQueue(app: ApplianceParts): Finding[] {
  const { queueDepth, running, phase } = app.engine.status();
  const found = `${queueDepth} waiting, ${running} running`;
  const reason = app.engine.waitReason();
  if (reason !== null) {
    const held = `${found}; ${reason.sentence}`;
    return [(queueDepth > 0 ? bad : notice)('queue', held, HELD_ADVICE[reason.step])];
  }
  const isStuck = phase === 'ready' && queueDepth > 0 && running === 0;
  return [isStuck ? bad('queue', found, 'work waits and none runs: look at the log') : good('queue', found)];
}
