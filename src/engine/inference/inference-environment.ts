/**
 * What an inference child gets of the daemon's environment: what GPU drivers and the loader read, by name. No
 * setting and no secret of the daemon is among it.
 */

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

export function inferenceEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isPassedOn(name) ? [[name, value]] : [],
    ),
  );
}

function isPassedOn(name: string): boolean {
  return PASSED_ON.has(name) || PASSED_ON_PREFIXES.some((prefix) => name.startsWith(prefix));
}
