/**
 * Runs a graph on windows and prints its outputs as one JSON list, for golden.py.
 *
 * usage: node run-graph.ts GRAPH SAMPLES_FILE WINDOW_SAMPLES
 */
import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const [graphPath = '', samplesPath = '', windowText] = process.argv.slice(2);
const windowSamples = Number(windowText);
const bytes = readFileSync(samplesPath);
const samples = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const graph = await InferenceSession.create(graphPath, { intraOpNumThreads: 1, interOpNumThreads: 1 });
const [outputName = ''] = graph.outputNames;
const sound = new Tensor('float32', samples, [samples.length / windowSamples, windowSamples]);
const values = (await graph.run({ sound }))[outputName]?.data as Float32Array;
process.stdout.write(JSON.stringify(Array.from(values)));
