/** The daemon's variables that an inference child gets: those of GPU drivers and the loader, no setting, no secret. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

const PASSED_ON = new Set([
  'PATH',
  'HOME',
  'LANG',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'XDG_RUNTIME_DIR',
  'XDG_CACHE_HOME',
  'VK_ICD_FILENAMES',
  'VK_DRIVER_FILES',
]);
const PASSED_ON_PREFIXES = ['CUDA_', 'NVIDIA_', 'ORT_'];

/** Returns freed memory: the C library kept 220 of 380 MiB of a released model. Page faults cost 300 ms at a start. */
const MEMORY = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

export function driverEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passedOn = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isPassedOn(name) ? [[name, value]] : [],
  );
  return Object.fromEntries(passedOn);
}

/** From 1.29 on ONNX Runtime sends its maker what runs where, and keeps an identifier of the box; this stops both. */
const SILENCE = { ORT_DISABLE_TELEMETRY: '1' };

/** Forbids TF32 (10 bits), which moved a speech model by 0.36 of a logit on an H200, unless the box sets it itself. */
const FULL_PRECISION = { NVIDIA_TF32_OVERRIDE: '0' };

export function inferenceEnvironment(drivers: Readonly<Record<string, string>>): Record<string, string> {
  return { ...MEMORY, ...compiledCode(), ...FULL_PRECISION, ...drivers, ...SILENCE };
}

/** The child reads nothing hostile, so it shares the daemon's compiled sources, if there are any. */
function compiledCode(): Record<string, string> {
  const own = getCompileCacheDir();
  // The runtime makes a folder for its version in the named one.
  return own === undefined ? {} : { NODE_COMPILE_CACHE: dirname(own) };
}

function isPassedOn(name: string): boolean {
  return PASSED_ON.has(name) || PASSED_ON_PREFIXES.some((prefix) => name.startsWith(prefix));
}
