/** Every path of the page, once for the server that answers it and the router that shows it. */

export const PATHS = {
  records: '/',
  submit: '/submit',
  search: '/search',
  signIn: '/sign-in',
  register: '/register',
  forgot: '/forgot-password',
  setPassword: '/set-password',
  verifyEmail: '/verify-email',
  account: '/account',
  desks: '/desks',
  webhooks: '/webhooks',
  ledger: '/credits',
  users: '/users',
  plans: '/plans',
  audit: '/audit',
  queue: '/queue',
  models: '/models',
  backups: '/backups',
  folders: '/folders',
  trust: '/trust',
  appliance: '/appliance',
  firstSteps: '/first-steps',
  label: '/label',
} as const;

export const PAGE_PATHS: readonly string[] = Object.values(PATHS);
export const RESULT_PATH = '/classifications/:identifier';

/** A place in a film, as the player and media fragments write it. */
export function momentPath(identifier: string, seconds: number): string {
  return `${resultPath(identifier)}#t=${seconds}`;
}

export const momentOf = (hash: string): number => Number(/^#t=(\d+(?:\.\d+)?)$/.exec(hash)?.[1] ?? 0);

export const resultPath = (identifier: string): string => `/classifications/${identifier}`;
