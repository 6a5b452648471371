/** The commands of other programs that README and docs show. */
import { LINES, type Shown } from '../cli/shown-lines.ts';

/** First words of lines that are programs: the others are answers, files and the command line of assay. */
const PROGRAM =
  /^(?:\S*\/)?(?:apt-get|awk|base64|bash|cat|cd|chmod|chown|cp|curl|diff|docker|export|git|go|grep|grpcurl|gzip|install|ip|iptables|jq|journalctl|kill|ls|mkdir|mount|mv|nats|nats-server|node|npm|npx|openssl|pip|pip3|printf|ps|python3?|rm|rsync|scp|sed|sh|sha256sum|ssh|ssh-keygen|sudo|sudoedit|systemctl|tail|tar|tee|umount|unzip|useradd|wget|xxd|zip)(?= |$)/;
/** Their words are held against the program by test/cli/documented-commands.test.ts. */
const OURS = /(?:^|\| )(?:npx |sudo )?assay /;

/** Lines that documented-tools.test.ts runs as they stand. */
export const RUN = /^(?:curl |npx buf curl )/;
export const SCRIPT = /^npm run ([\w:-]+)/;

/** Lines that are not run here, by their beginnings, with the reason. */
export const ELSEWHERE: readonly [RegExp, string][] = [
  [/^npm (?:ci|start)/, 'a fresh checkout does so before this test can run'],
  [SCRIPT, 'long; documented-reasons.test.ts holds that the script exists'],
  [/^apt-get /, 'installs for the whole machine; .ci/run tries it'],
  [/^(?:sudo|sudoedit) /, 'changes the machine; test/systemd.test.ts reads what they install'],
  [/^(?:tar|sh assay-<version>|sh verify.sh)/, 'needs a release; test/heavy/release.ts makes and checks one'],
  [/^(?:docker|cp packaging)/, 'needs a runtime of containers; test/heavy/image.ts runs the image by runc'],
  [/^grpcurl /, 'run by test/interface where it is installed'],
  [/^(?:sh|node_modules\/\.bin\/node|venv\/bin\/python) \S*examples\//, 'run by examples.test.ts'],
  [
    /^(?:go|cd examples|export|python3 -m venv|venv\/bin\/pip) ?/,
    'fetches packages; test/heavy/examples.ts does',
  ],
  [/^node_modules\/\.bin\/node test\/simulator\//, 'test/simulator/histories.test.ts runs it'],
  [/^printf /, 'takes values of a package; test/evidence/third-party.test.ts computes the same'],
];

export const TOOLS: readonly Shown[] = LINES.filter(({ line }) => PROGRAM.test(line) && !OURS.test(line));
