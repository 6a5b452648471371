/** Folders of NFS and SMB servers, mounted by the kernel. The server goes away for a minute; each file becomes one record. */
import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type Desk, picture, until } from './desk.ts';
import type { Machine } from './machine.ts';
import { COMMAND } from './make-box.ts';

export interface Share {
  /** Makes the server serve `/export/desk`. */
  serve: string;
  stop: string;
  start: string;
  mount: string;
}

const MOUNTED = '/srv/desk';
const SERVED = '/export/desk';
export const FILES = 30;
const AWAY_AFTER = 10;
const AWAY_SECONDS = 60;
const FINISHED_SECONDS_MAX = 600;
const ANSWERED_SECONDS_MAX = 300;
const NFS_EXPORT = `${SERVED} 127.0.0.1(rw,sync,no_subtree_check,fsid=7,all_squash,anonuid=$(id -u assay),anongid=$(id -g assay))`;
const SMB_SETTINGS = [
  ...['[global]', 'map to guest = Bad User', 'guest account = assay', 'interfaces = lo', 'log level = 0'],
  ...['[desk]', `path = ${SERVED}`, 'read only = no', 'guest ok = yes', 'force user = assay'],
];

/** The clients wait for a server that is away, as their own defaults are. */
export const SHARES: Readonly<Record<'nfs' | 'smb', Share>> = {
  nfs: {
    serve: `echo "${NFS_EXPORT}" > /etc/exports && systemctl restart nfs-server && exportfs -ra`,
    stop: 'systemctl stop nfs-server',
    start: 'systemctl start nfs-server',
    mount: `mount -t nfs4 127.0.0.1:${SERVED} ${MOUNTED}`,
  },
  smb: {
    serve: `printf '%s\\n' ${SMB_SETTINGS.map((line) => `'${line}'`).join(' ')} > /etc/samba/smb.conf && systemctl restart smbd`,
    stop: 'systemctl kill --signal=KILL smbd; systemctl stop smbd',
    start: 'systemctl start smbd',
    mount: `mount -t cifs -o guest,uid=assay,gid=assay //127.0.0.1/desk ${MOUNTED}`,
  },
};

export async function shared(machine: Machine, desk: Desk, kind: keyof typeof SHARES): Promise<void> {
  const { serve, stop, start, mount } = SHARES[kind];
  machine.must(`rm -rf ${SERVED} && install -d -o assay -g assay ${SERVED} && mkdir -p ${MOUNTED}`);
  machine.must(serve);
  await until('mounted', ANSWERED_SECONDS_MAX, async () => (machine.run(mount).status === 0 ? true : null));
  try {
    machine.must(`${COMMAND} watch-folder add ${MOUNTED} --done sidecar`);
    const names = Array.from({ length: FILES }, (_, index) => `${kind}-${index}.jpg`);
    for (const [index, name] of names.entries()) {
      if (index === AWAY_AFTER) await away(machine, desk, stop, start);
      machine.must(
        `cp /root/pictures/${name} ${SERVED}/.${name}.part && chown assay: ${SERVED}/.${name}.part && mv ${SERVED}/.${name}.part ${SERVED}/${name}`,
      );
    }
    await until('all results on the server', FINISHED_SECONDS_MAX, async () => {
      const there = machine.must(`ls ${SERVED}`).split('\n');
      return names.every((name) => there.includes(`${name}.assay.json`)) ? true : null;
    });
    deepEqual(recordsOf((await desk.ask('/api/classifications')).text, names), names.toSorted());
  } finally {
    // A step that failed half-way left the server away, and a client that waits for it holds the mount.
    machine.must(start);
    process.stdout.write(machine.run(`${COMMAND} watch-folder list`).text.replace(/^/gm, '  '));
    const [, id] = /"id":\s*"?(\d+)/.exec(machine.must(`${COMMAND} watch-folder list --json`)) ?? [];
    machine.must(`${COMMAND} watch-folder remove ${id}`);
    await until('unmounted', FINISHED_SECONDS_MAX, async () =>
      machine.run(`umount ${MOUNTED}`).status === 0 ? true : null,
    );
  }
}

/** What the list holds of these names, each as often as it is there. */
function recordsOf(text: string, names: readonly string[]): string[] {
  const records = JSON.parse(text) as { ref_id: string }[];
  return records
    .map(({ ref_id }) => ref_id)
    .filter((name) => names.includes(name))
    .toSorted();
}

/** A request that waits for a dead server must not hold those of others. */
async function away(machine: Machine, desk: Desk, stop: string, start: string): Promise<void> {
  machine.must(stop);
  const stoppedAt = performance.now();
  await delay((AWAY_SECONDS * 1000) / 2);
  const id = await desk.accepted(await picture(500 + Math.round(stoppedAt % 100)));
  equal(
    (await desk.awaitEnded(id, ANSWERED_SECONDS_MAX)).status,
    'done',
    'a picture by REST while the server is away',
  );
  await delay(Math.max(0, AWAY_SECONDS * 1000 - (performance.now() - stoppedAt)));
  process.stdout.write(machine.run(`timeout 20 ${COMMAND} watch-folder list`).text.replace(/^/gm, '  '));
  machine.must(start);
}
