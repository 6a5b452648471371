/** The daemon's entry. */
import { loadProgram } from './built-program.ts';

/** Serves until SIGTERM or SIGINT; resolves once everything is closed. */
export async function serve(argv: readonly string[]): Promise<void> {
  await (await load()).serve(argv);
}

function load(): Promise<typeof import('./serve.ts')> {
  return loadProgram('serve', () => import('./serve.ts'));
}

if (import.meta.main) {
  const { serve, describeStartFailure } = await load();
  try {
    await serve(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`assay: ${describeStartFailure(error)}\n`);
    process.exitCode = 1;
  }
}
