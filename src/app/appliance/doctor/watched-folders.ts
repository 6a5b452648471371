/** Whether each watched folder can be read, written and moved in by the user that the daemon runs as. */
import { checkFolder } from '../../watch-folders/folder-check.ts';
import type { ApplianceParts } from '../parts.ts';
import { bad, type Finding, good } from './finding.ts';

export async function checkWatchedFolders(app: ApplianceParts): Promise<Finding[]> {
  const folders = app.store.read.watchFolders().filter(({ isRemoved }) => !isRemoved);
  return await Promise.all(
    folders.map(async (folder) => {
      const name = `watched folder ${folder.id}`;
      const { findings, unitLines } = await checkFolder(app, folder);
      const found = `${folder.path}: ${findings.map((finding) => finding.found).join(', ')}`;
      if (findings.every(({ good: isGood }) => isGood)) return good(name, found);
      const lines =
        unitLines.length === 0 ? '' : `; under systemd, \`systemctl edit assay\`: ${unitLines.join(' ')}`;
      return bad(name, found, `give the daemon's user the folder, or mount its share${lines}`);
    }),
  );
}
