/**
 * A booted box, from the install to the days on which something fails. main.ts [--package FILE] [--suite
 * NAME] [--base FOLDER]. Needs root, mmdebstrap, systemd-nspawn and a mirror. Exit code 1 where a step
 * misses.
 */
import { playSteps, runInBox } from './session.ts';
import { STEPS } from './steps.ts';

await runInBox({ needsOlder: false }, async ({ box, desk }) => await playSteps(box, desk, STEPS));
