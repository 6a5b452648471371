/** Where the files of a pack lie that names an npm package. */
import { join } from 'node:path';
import type { TranscriptionPack } from '../../domain/packs/transcription-pack.ts';
import { PROGRAM_FOLDER } from '../../machinery/program-folder.ts';

export interface PackageFiles {
  root: string;
  models: string;
  texts: string;
}

export function packageFilesOf({ package: { name, models, texts } }: TranscriptionPack): PackageFiles {
  const root = join(PROGRAM_FOLDER, 'node_modules', name);
  return { root, models: join(root, models), texts: join(root, texts) };
}
