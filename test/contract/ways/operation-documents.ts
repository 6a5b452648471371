/** The GraphQL document of each operation that operation-callers.ts calls; a page's lines are named as gRPC names them. */
const MISTAKES = 'userErrors { code reason field }';
const PAGE = 'pageInfo { hasNextPage endCursor }';
const USER = `id name email role city vat heuristic balance readonly c2paPolicy hasPassword termsAcceptedAt
  pricing { sku } partner { id }`;
const PLAN = `id name sku models kinds { kind credits fileBytesMax } optionCredits { option credits }
  zeroRetention mediaDays`;

const byId = (name: string, selection: string): string =>
  `mutation ($id: ID!) { ${name}(id: $id) { ${selection} ${MISTAKES} } }`;

export const DOCUMENTS = {
  getAccount: `{ viewer { user { ${USER} } plan { ${PLAN} } } }`,
  updateAccount: `mutation ($fields: UpdateAccountInput!) {
    updateAccount(input: $fields) { user { ${USER} } ${MISTAKES} } }`,
  acceptTerms: `mutation { acceptTerms { user { ${USER} } ${MISTAKES} } }`,
  changePassword: `mutation ($current: String!, $password: String!) {
    changePassword(current: $current, password: $password) { user { id } ${MISTAKES} } }`,
  getCredits: '{ viewer { credits { availableCredits totalSpent } } }',
  listLedger: `query ($pageSize: Int, $pageToken: String) { viewer {
    ledger(first: $pageSize, after: $pageToken) { entries: nodes { amount reason } ${PAGE} } } }`,
  createKey: `mutation ($name: String!, $userId: ID) {
    createKey(name: $name, userId: $userId) { key { id name } secret ${MISTAKES} } }`,
  listKeys: '{ viewer { keys { id name lastUsedAt } } }',
  revealKey: `mutation ($id: ID!, $password: String!) {
    revealKey(id: $id, password: $password) { secret ${MISTAKES} } }`,
  replaceKey: byId('replaceKey', 'key { id } secret'),
  revokeKey: byId('revokeKey', 'key { name }'),
  getWebhookSecret: '{ viewer { secret: webhookSecret } }',
  rotateWebhookSecret: `mutation { rotateWebhookSecret { secret ${MISTAKES} } }`,
  listDeliveries: `query ($pageToken: String) { viewer {
    deliveries(after: $pageToken) { deliveries: nodes { id } ${PAGE} } } }`,
  replayDelivery: byId('replayDelivery', 'delivery { id }'),
  createUser: `mutation ($user: UserInput!) { createUser(input: $user) { user { ${USER} } ${MISTAKES} } }`,
  updateUser: `mutation ($id: ID!, $user: UserInput!) {
    updateUser(id: $id, input: $user) { user { ${USER} } ${MISTAKES} } }`,
  getUser: `query ($id: ID!) { user(id: $id) { ${USER} } }`,
  deleteUser: byId('deleteUser', `user { ${USER} }`),
  sendCreationEmail: byId('sendCreationEmail', `user { ${USER} }`),
  listUsers: `query ($filter: String, $sort: UserSort, $direction: SortDirection, $pageSize: Int, $pageToken: String) {
    users(filter: $filter, sort: $sort, direction: $direction, first: $pageSize, after: $pageToken) {
      users: nodes { ${USER} } ${PAGE} } }`,
  resetPassword: `mutation ($email: String!) { resetPassword(email: $email) { link expiresAt ${MISTAKES} } }`,
  grantCredits: `mutation ($id: ID!, $amount: Int!, $note: String) {
    grantCredits(id: $id, amount: $amount, note: $note) { user { balance } ${MISTAKES} } }`,
  listPlans: `{ plans { ${PLAN} } }`,
  createPlan: `mutation ($plan: PlanInput!) { createPlan(input: $plan) { plan { ${PLAN} } ${MISTAKES} } }`,
  updatePlan: `mutation ($id: ID!, $plan: PlanInput!) {
    updatePlan(id: $id, input: $plan) { plan { ${PLAN} } ${MISTAKES} } }`,
  listAuditEntries: `query ($pageSize: Int, $pageToken: String) {
    auditEntries(first: $pageSize, after: $pageToken) {
      entries: nodes { action target facade remoteAddress } ${PAGE} } }`,
  getQueue: '{ queue { runningTotal waitingTotal failed { error } } }',
};

export type AccountOperation = keyof typeof DOCUMENTS;

// biome-ignore lint/suspicious/noExplicitAny: its shape is the document's
type Data = any;

/** How an answer becomes that of gRPC, unless it is the fields of its only root field. */
export const SHAPES: Partial<Record<AccountOperation, (data: Data) => Data>> = {
  getAccount: ({ viewer }) => viewer,
  getCredits: ({ viewer }) => viewer.credits,
  listLedger: ({ viewer }) => viewer.ledger,
  listKeys: ({ viewer }) => viewer,
  getWebhookSecret: ({ viewer }) => viewer,
  listDeliveries: ({ viewer }) => viewer.deliveries,
  getUser: (data) => data,
  listPlans: (data) => data,
};

export const WATCH_CREDITS = 'subscription { credits { availableCredits } }';
