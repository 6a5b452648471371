/**
 * A booted box, from the first install to the days on which something fails: systemd starts and restarts the daemon, the power is
 * cut, the disk fills, the clock goes back. Needs root, mmdebstrap, systemd-nspawn and a mirror.
 *   main.ts [--package FILE] [--suite NAME] [--base FOLDER]
 * The base is a bare system that is made where it is not there. Prints times; exit code 1 where a step misses.
 */
import { playSteps, runInBox } from './session.ts';
import { STEPS } from './steps.ts';

await runInBox({ needsOlder: false }, async ({ box, desk }) => await playSteps(box, desk, STEPS));
