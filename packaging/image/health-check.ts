/** Ends with 0 where the daemon of this container serves and its models are there; for a container's health check. */
import { get as getPlain } from 'node:http';
import { get as getTls } from 'node:https';

const ANSWER_MS_MAX = 8_000;
const [, port = '8480'] = /:(\d+)$/.exec(process.env.ASSAY_HTTP_LISTEN ?? '') ?? [];
const isTls = (process.env.ASSAY_TLS_CERT_FILE ?? '') !== '';

const path = { host: '127.0.0.1', port, path: '/readyz', timeout: ANSWER_MS_MAX };
// The certificate is not checked: the call goes to the daemon's own loopback.
const asked = isTls ? getTls({ ...path, rejectUnauthorized: false }, judge) : getPlain(path, judge);
asked.on('timeout', () => asked.destroy(new Error(`no answer in ${ANSWER_MS_MAX} ms`)));
asked.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});

function judge(answer: { statusCode?: number | undefined; resume(): unknown }): void {
  answer.resume();
  if (answer.statusCode !== 200) process.exitCode = 1;
}
