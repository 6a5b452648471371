/** Examines the box: each finding has what was seen and what to do about it. */
import { randomBytes } from 'node:crypto';
import type { WatchFolder } from '../../../domain/automation/watch-folder.ts';
import type { Finding } from '../../../domain/contract/appliance.ts';
import { vouchesForSigners } from '../../../domain/provenance/trust-list.ts';
import type { WaitReason } from '../../../domain/records/wait-reason.ts';
import { MICROSECONDS_PER_DAY } from '../../../domain/time.ts';
import { listMails } from '../../accounts/mail.ts';
import { assertAdmin } from '../../callers/authority.ts';
import type { Principal } from '../../callers/principal.ts';
import { askForTimestamp } from '../../evidence/timestamps.ts';
import { checkFolder } from '../../watch-folders/folder-check.ts';
import { describeUnwritten } from '../../watch-folders/unwritten.ts';
import type { ApplianceParts, DoctorConfig } from '../parts.ts';
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
import { checkBackup, checkDisk, checkFlush, checkOriginals, checkReaders, checkRecords } from './storage.ts';
import { checkAnswers, checkCustodyLog, checkPictureSearch } from './store-checks.ts';

/** Leases follow the daemon's clock alone; a clock this far off misleads readers of both logs. */
const CLOCK_OFFSET_SECONDS_MAX = 2;

function checkBroker({ remote }: Pick<ApplianceParts, 'remote'>): Finding[] {
  const broker = remote?.broker() ?? null;
  if (broker === null) return [];
  const { isReached, fault, isByTls, isAuthenticated } = broker;
  const advice = 'look at nats.servers and at the server; what waits for workers is kept';
  if (fault !== null) return [bad('broker', fault, ADVICE_OPEN)];
  if (!isReached) return [bad('broker', 'the NATS server is not reached', advice)];
  const found = `reached ${isByTls ? 'by TLS' : 'on this box'}`;
  if (isAuthenticated === true) return [good('broker', `${found}; it asks for keys`)];
  return [
    notice('broker', `${found}; it lets anybody in, as nats.allow_unauthenticated allows`, ADVICE_OPEN),
  ];
}

const ADVICE_OPEN =
  'give the server the configuration that assay worker setup writes, and each box its key (nats.nkey_seed)';

function checkWorkers({ remote }: Pick<ApplianceParts, 'remote'>): Finding[] {
  return (remote?.workers() ?? []).map((worker) => {
    const { places, running, done, failed, refusal, isHere, isDraining, isDrained } = worker;
    const { clockOffsetSeconds } = worker;
    const name = `worker ${worker.name}`;
    if (isDrained) {
      const still = running === 0 ? 'has none' : `finishes ${running}`;
      return notice(
        name,
        `drained: it takes no more work and ${still}`,
        `assay worker resume ${worker.name}`,
      );
    }
    if (refusal !== null) return bad(name, refusal, 'give it the version and the packs of this box');
    if (!isHere) return notice(name, 'not heard of lately', 'start it, or look at its way to the broker');
    const found = `${running} of ${places} running, ${done} done, ${failed} failed${isDraining ? ', draining' : ''}`;
    return Math.abs(clockOffsetSeconds) > CLOCK_OFFSET_SECONDS_MAX
      ? notice(
          name,
          `${found}; its clock is ${clockOffsetSeconds} s off`,
          'set the clocks of both boxes by NTP',
        )
      : good(name, found);
  });
}

const BYTES = 32;
const ADVICE =
  'look at evidence.timestamp_authorities and the network; packages wait for a week, then `assay evidence timestamp` adds a token by hand';

export async function checkTimestampAuthorities({ config, store }: ApplianceParts): Promise<Finding[]> {
  const waiting = [...store.read.timestampsDue()].length;
  return await Promise.all(
    config.timestampAuthorities.map(async (authority) => {
      const name = `timestamp authority ${authority}`;
      const answer = await askForTimestamp(
        config,
        authority,
        randomBytes(BYTES),
        new AbortController().signal,
      );
      const found = 'reply' in answer ? 'stamps' : answer.error;
      const shown = `${found}; ${waiting} packages wait for tokens`;
      return 'reply' in answer ? good(name, shown) : bad(name, shown, ADVICE);
    }),
  );
}

const UNSENT =
  'set mail.smtp_url (assay config explain mail.smtp_url), or hand the files over: each holds a link that opens one account';
const REFUSED = 'look at mail.smtp_url, the network and the log of the mail server';

export async function checkMail({ mailer }: ApplianceParts): Promise<Finding[]> {
  const { folder } = mailer;
  if (folder !== null) {
    const { length } = await listMails(folder);
    return [notice('mail', `no mail server is set: mail is not sent; ${length} lie in ${folder}`, UNSENT)];
  }
  try {
    await mailer.verify();
    return [good('mail', 'the mail server answers and lets Assay in')];
  } catch (error) {
    return [
      bad(
        'mail',
        `the mail server refuses: ${error instanceof Error ? error.message : String(error)}`,
        REFUSED,
      ),
    ];
  }
}

const DAY_MS = 24 * 3600 * 1000;
/** Renewal usually happens a month ahead; two weeks before the end it has failed. */
const CERTIFICATE_DAYS_MIN = 14;
/** Publishers of trust lists add authorities every few weeks. */
const TRUST_LIST_DAYS_MAX = 90;

function checkTls(_app: ApplianceParts, { tls }: DoctorConfig): Finding[] {
  if (tls === null) return [];
  const days = (tls.validUntil - Date.now()) / DAY_MS;
  const found = `the certificate ends ${new Date(tls.validUntil).toISOString()}`;
  if (days > CERTIFICATE_DAYS_MIN) return [good('tls', found)];
  const advice =
    'renew it and replace the files of tls.cert_file and tls.key_file; they are read again by themselves';
  return [(days > 0 ? notice : bad)('tls', found, advice)];
}

/** A frozen list ages without harm, since nothing is added to it any more. */
function checkTrustLists({ trust, clock }: ApplianceParts): Finding[] {
  const on = trust.all.filter(({ isOn }) => isOn);
  if (!on.some(vouchesForSigners)) {
    return [
      notice('trust lists', 'none is on that vouches for signers', 'switch one on: assay trust on c2pa'),
    ];
  }
  const now = clock.now() / MICROSECONDS_PER_DAY;
  const old = on.filter(
    ({ date, frozen }) => frozen === null && date !== '' && now - dayOf(date) > TRUST_LIST_DAYS_MAX,
  );
  const found = on.map(({ id, date }) => (date === '' ? id : `${id} of ${date}`)).join(', ');
  if (old.length === 0) return [good('trust lists', found)];
  const names = old.map(({ id }) => id).join(', ');
  const advice = `older than ${TRUST_LIST_DAYS_MAX} days: ${names}; get them from their publishers, then assay trust update`;
  return [notice('trust lists', found, advice)];
}

function dayOf(date: string): number {
  return Date.parse(date) / DAY_MS;
}

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
  const reason = app.running.waitReason();
  if (reason !== null) {
    const held = `${found}; ${reason.sentence}`;
    return [(queueDepth > 0 ? bad : notice)('queue', held, HELD_ADVICE[reason.step])];
  }
  const isStuck = phase === 'ready' && queueDepth > 0 && running === 0;
  return [isStuck ? bad('queue', found, 'work waits and none runs: look at the log') : good('queue', found)];
}

export async function checkWatchedFolders(app: ApplianceParts): Promise<Finding[]> {
  const folders = app.store.read.automation.watchFolders().filter(({ isRemoved }) => !isRemoved);
  return await Promise.all(
    folders.map(async (folder) => {
      const name = `watched folder ${folder.id}`;
      const { findings, unitLines } = await checkFolder(app, folder);
      const found = `${folder.path}: ${findings.map((finding) => finding.found).join(', ')}`;
      if (findings.every(({ good: isGood }) => isGood)) return judgeResults(app, folder, { name, found });
      const lines =
        unitLines.length === 0 ? '' : `; under systemd, \`systemctl edit assay\`: ${unitLines.join(' ')}`;
      return bad(name, found, `give the daemon's user the folder, or mount its share${lines}`);
    }),
  );
}

function judgeResults(
  app: ApplianceParts,
  folder: WatchFolder,
  { name, found }: Pick<Finding, 'name' | 'found'>,
): Finding {
  // Without the folder's name, since findings go into the support bundle.
  const refusal = describeUnwritten(app, folder, { namesFile: false });
  if (refusal === '') return good(name, found);
  const remedy = `mend what is named, then \`assay watch-folder resume ${folder.id} --failed\` writes them`;
  return bad(name, `${folder.path}: ${refusal}`, remedy);
}
