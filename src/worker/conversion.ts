/**
 * Entry of a conversion child: makes one ONNX file from a model in an npm package and ends. A process of its own,
 * since it holds the model several times over, and the daemon would keep that memory.
 */
import { writeFileSync } from 'node:fs';
import { convertModel } from './convert/convert-model.ts';
import type { ConversionOrder } from './inference-protocol.ts';

const EXIT_FAILED = 1;

try {
  // Our own words, given by the daemon that started this process.
  const order = JSON.parse(process.argv[2] ?? '') as ConversionOrder;
  writeFileSync(order.target, convertModel(order));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = EXIT_FAILED;
}
