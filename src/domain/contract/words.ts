/** The sets of words that fields may hold, with their names and sentences in the typed facades. */
import { NOTICE_CHANNELS } from '../automation/notice-rule.ts';
import { DONE_ACTIONS, WATCH_STATES, WATCHED_FILE_STATES } from '../automation/watch-folder.ts';
import type { Choice } from '../field.ts';
import { HEATMAP_LAYERS } from '../media/heatmap.ts';
import { RELATIONSHIPS } from '../provenance/manifest-facts.ts';
import { OUTER_OUTCOMES } from '../provenance/outer-reading.ts';
import { C2PA_POLICIES } from '../provenance/provenance.ts';
export const ORIGIN = {
  name: 'Origin',
  description: 'ANALYSED: new work; JOINED: shares work of the same account; CACHED: answered at once.',
  words: ['analysed', 'joined', 'cached'],
} as const satisfies Choice;
export const HEATMAP_LAYER = {
  name: 'HeatmapLayer',
  description:
    'Maps of a picture: where it looks artificial, where it looks edited, and how far the latter can be trusted.',
  words: HEATMAP_LAYERS,
} as const satisfies Choice;
export const OUTER_MANIFEST_OUTCOME = {
  name: 'OuterManifestOutcome',
  description:
    'EMBEDDED_SPEAKS: the file holds a manifest of its own, which counts. HOST_NOT_ALLOWED: the operator allows no fetching from there. NO_MANIFEST: something else lies there.',
  words: OUTER_OUTCOMES,
} as const satisfies Choice;
export const INGREDIENT_RELATIONSHIP = {
  name: 'IngredientRelationship',
  words: RELATIONSHIPS,
} as const satisfies Choice;
export const ROLE = { name: 'Role', words: ['user', 'partner', 'admin'] } as const satisfies Choice;
export const C2PA_POLICY = {
  name: 'C2paPolicy',
  description: 'Which C2PA signatures force ARTIFICIAL.',
  words: C2PA_POLICIES,
} as const satisfies Choice;
export const LEDGER_REASON = {
  name: 'LedgerReason',
  words: ['grant', 'charge', 'refund'],
} as const satisfies Choice;
export const DONE_ACTION = {
  name: 'DoneAction',
  description:
    'What becomes of a judged file: nothing; NAME.assay.json and NAME.assay.xmp beside it; or all three go to assay-done.',
  words: DONE_ACTIONS,
} as const satisfies Choice;
export const WATCH_STATE = {
  name: 'WatchState',
  description:
    'All but PAUSED end by themselves. AWAY: the folder is not there, empty as a mount point is, or unreadable, and nothing is concluded from it.',
  words: WATCH_STATES,
} as const satisfies Choice;
export const WATCHED_FILE_STATE = {
  name: 'WatchedFileState',
  description: 'SUBMITTED: its record waits or runs; SKIPPED: it is no picture, film or sound.',
  words: WATCHED_FILE_STATES,
} as const satisfies Choice;
export const NOTICE_CHANNEL = { name: 'NoticeChannel', words: NOTICE_CHANNELS } as const satisfies Choice;
export const DELIVERY_STATE = {
  name: 'DeliveryState',
  description: 'FAILED: every attempt was in vain; GONE: the receiver answered 410.',
  words: ['pending', 'delivered', 'failed', 'gone'],
} as const satisfies Choice;
