/** Whether each watched folder can be read, written and moved in by the user that the daemon runs as, and all results could be. */
import type { WatchFolder } from '../../../domain/automation/watch-folder.ts';
import type { Finding } from '../../../domain/contract/appliance.ts';
import { checkFolder } from '../../watch-folders/folder-check.ts';
import { describeUnwritten } from '../../watch-folders/unwritten.ts';
import type { ApplianceParts } from '../parts.ts';
import { bad, good } from './finding.ts';

export async function checkWatchedFolders(app: ApplianceParts): Promise<Finding[]> {
  const folders = app.store.read.automation.watchFolders().filter(({ isRemoved }) => !isRemoved);
  return await Promise.all(
    folders.map(async (folder) => {
      const name = `watched folder ${folder.id}`;
      const { findings, unitLines } = await checkFolder(app, folder);
      const found = `${folder.path}: ${findings.map((finding) => finding.found).join(', ')}`;
      if (findings.every(({ good: isGood }) => isGood)) return judgeResults(app, folder, { name, found });
      const lines =
        unitLines.length === 0 ? '' : `; under systemd, \`systemctl edit assay\`: ${unitLines.join(' ')}`;
      return bad(name, found, `give the daemon's user the folder, or mount its share${lines}`);
    }),
  );
}

function judgeResults(
  app: ApplianceParts,
  folder: WatchFolder,
  { name, found }: Pick<Finding, 'name' | 'found'>,
): Finding {
  // Without its name: findings go into the support bundle.
  const refusal = describeUnwritten(app, folder, { namesFile: false });
  if (refusal === '') return good(name, found);
  const remedy = `mend what is named, then \`assay watch-folder resume ${folder.id} --failed\` writes them`;
  return bad(name, `${folder.path}: ${refusal}`, remedy);
}
