/** A nats-server on this machine for boxes of the network: as `assay worker setup` writes it, with the TLS block that docs/workers.md asks for. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND, SERVER } from '../../engine/remote/broker.ts';
import { HERE } from './network.ts';

const PORT = 4222;
/** Boxes know it by name: the client of NATS checks the certificate of an address against `localhost`. */
export const BROKER_NAME = 'broker';

export class NatsHost implements AsyncDisposable {
  readonly address = `tls://${BROKER_NAME}:${PORT}`;
  readonly certificate: string;
  readonly #folder: string;
  readonly #server: ChildProcess;

  private constructor(folder: string, certificate: string, server: ChildProcess) {
    this.#folder = folder;
    this.certificate = certificate;
    this.#server = server;
  }

  /** Starts a broker whose configuration has keys of a daemon and the workers. */
  static async start(folder: string, workers: readonly string[]): Promise<NatsHost> {
    const place = ['--listen', `${HERE}:${PORT}`, '--store', join(folder, 'store')];
    const setup = [COMMAND, 'worker', 'setup', folder, '--workers', workers.join(), ...place];
    execFileSync(process.execPath, setup, { stdio: ['ignore', 'ignore', 'inherit'] });
    const [key, certificate] = [join(folder, 'tls.key'), join(folder, 'tls.pem')];
    const made = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', '-subj', '/CN=broker'];
    const names = ['-addext', `subjectAltName=DNS:${BROKER_NAME}`];
    execFileSync('openssl', [...made, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    const config = join(folder, 'nats.conf');
    appendFileSync(config, `tls {\n  cert_file: "${certificate}"\n  key_file: "${key}"\n}\n`);
    const server = spawn(SERVER, ['-c', config], { stdio: 'ignore' });
    await once(server, 'spawn');
    return new NatsHost(folder, certificate, server);
  }

  seedOf(user: string): string {
    return readFileSync(join(this.#folder, `${user}.nkey`), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGTERM');
    await ended;
  }
}
