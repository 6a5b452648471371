import { LedgerReason } from '../../grpc/gen/assay/v1/account_pb.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { commandOf, listing } from '../rows/row.ts';
import { printLine } from '../terminal/terminal.ts';
import { nameOf } from '../views/enum-word.ts';
import { formatTimestamp } from '../views/timestamp.ts';

const { method } = AccountService;

const LINES = listing(
  'ledger',
  "list the account's grants, charges and refunds, newest first, under its balance",
  method.listLedger,
  'entries',
  {
    json: 'one entry per line',
    request: () => ({}),
    line: ({ at, reason, amount, identifier }) => {
      const signed = amount > 0n ? `+${amount}` : String(amount);
      return [formatTimestamp(at), nameOf(LedgerReason, reason), signed.padStart(9), identifier]
        .join('  ')
        .trimEnd();
    },
  },
);

export const addLedgerCommand = commandOf({
  ...LINES,
  run: async (terminal, said) => {
    if (said.json !== true) {
      using client = await openClient(terminal);
      const { availableCredits, totalSpent } = await client.call(method.getCredits, {});
      printLine(terminal, `${availableCredits} credits available, ${totalSpent} spent`);
    }
    await LINES.run(terminal, said);
  },
});
