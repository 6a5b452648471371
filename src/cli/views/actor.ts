/** Who brought an entry of a log about. */
export function actorOf({
  accountId,
  accountName,
}: {
  accountId?: bigint | undefined;
  accountName: string;
}): string {
  return accountId === undefined ? 'appliance' : `account ${accountId} ${accountName}`.trimEnd();
}
