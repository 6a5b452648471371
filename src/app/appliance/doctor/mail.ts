/** Whether mail goes out, or lies in files. */
import type { Finding } from '../../../domain/contract/appliance.ts';
import { listMails } from '../../accounts/mail.ts';
import type { ApplianceParts } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

const UNSENT =
  'set mail.smtp_url (assay config explain mail.smtp_url), or hand the files over: each holds a link that opens one account';
const REFUSED = 'look at mail.smtp_url, the network and the log of the mail server';

export async function checkMail({ mailer }: ApplianceParts): Promise<Finding[]> {
  const { folder } = mailer;
  if (folder !== null) {
    const { length } = await listMails(folder);
    return [notice('mail', `no mail server is set: mail is not sent; ${length} lie in ${folder}`, UNSENT)];
  }
  try {
    await mailer.verify();
    return [good('mail', 'the mail server answers and lets Assay in')];
  } catch (error) {
    return [
      bad(
        'mail',
        `the mail server refuses: ${error instanceof Error ? error.message : String(error)}`,
        REFUSED,
      ),
    ];
  }
}
