/** Whether the NATS server may be trusted with work, and whether each worker on another box that was heard of is there and gets work. */

import type { Finding } from '../../../domain/contract/appliance.ts';
import type { ApplianceParts } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

/** Leases follow the daemon's clock alone; a clock that is this far off misleads anyone who compares logs. */
const CLOCK_OFFSET_SECONDS_MAX = 2;

export function checkBroker({ engine }: Pick<ApplianceParts, 'engine'>): Finding[] {
  const broker = engine.broker();
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

export function checkWorkers({ engine }: Pick<ApplianceParts, 'engine'>): Finding[] {
  return engine.workers().map((worker) => {
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
