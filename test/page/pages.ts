/** Every page of the desk, filled with something to see; for the accessibility test and for the screenshots. */
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { PATHS, resultPath } from '../../page/parts/paths.ts';
import { TEST_KEY } from '../daemon.ts';
import { sharedData, skipWithoutSharedData } from '../shared-data.ts';
import { ADMIN } from './browser.ts';
import { classify, type DeskDaemon, makeFilm, makeRecording } from './desk-daemon.ts';

export interface ShownPage {
  name: string;
  path: string;
  isSignedIn: boolean;
}

const STRANGERS: ShownPage[] = [
  { name: 'sign-in', path: PATHS.signIn, isSignedIn: false },
  { name: 'forgot-password', path: PATHS.forgot, isSignedIn: false },
  { name: 'register', path: PATHS.register, isSignedIn: false },
  { name: 'set-password', path: `${PATHS.setPassword}?token=abc`, isSignedIn: false },
  { name: 'verify-email', path: `${PATHS.verifyEmail}?token=abc`, isSignedIn: false },
];

const PHOTO_EMAIL = `photo@${ADMIN.email.split('@')[1]}`;

const NAMED = [
  'records',
  'submit',
  'search',
  'account',
  'desks',
  'webhooks',
  'ledger',
  'users',
  'plans',
  'audit',
  'queue',
  'folders',
  'models',
  'backups',
  'trust',
  'appliance',
  'firstSteps',
  'label',
] as const;

/** A soft picture with fine grain, so that a heatmap has something to lie on. */
async function landscape(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 22 } as const;
  const grain = await sharp({ create: { width: 960, height: 640, channels: 3, background: '#777', noise } })
    .png()
    .toBuffer();
  const hills = `<svg width="960" height="640"><defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="#6c8fb8"/>
    <stop offset="1" stop-color="#e9d9c0"/></linearGradient></defs><rect width="960" height="640" fill="url(#s)"/>
    <path d="M0 420 Q240 300 480 400 T960 360 V640 H0Z" fill="#5b6f58"/><path d="M0 500 Q300 430 560 510 T960 470 V640 H0Z" fill="#3f5244"/></svg>`;
  const picture = sharp(Buffer.from(hills)).composite([{ input: grain, blend: 'soft-light' }]);
  return await picture.jpeg({ quality: 88 }).toBuffer();
}

/** `ofOthers` false: nothing but what the tests draw, so that pictures of the pages are ours. */
export async function fillDesk({ http }: DeskDaemon, { ofOthers = true } = {}): Promise<ShownPage[]> {
  const options = { with_heatmap: 'true', ref_id: 'desk-4711' };
  const image = await classify(http, 'image', await landscape(), 'harbour-at-dawn.jpg', options);
  const video = await classify(http, 'video', makeFilm(8), 'street-scene.webm', { frames: '10' });
  const audio = await classify(http, 'audio', makeRecording(12), 'interview.flac');
  const records: [string, string][] = [
    ['result-image', image],
    ['result-video', video],
    ['result-audio', audio],
  ];
  if (ofOthers && skipWithoutSharedData('c2pa') === false) {
    const signed = readFileSync(sharedData('c2pa', 'pub-adobe_20220124_CACA.jpg'));
    records.push(['result-signed', await classify(http, 'image', signed, 'signed-agency-photo.jpg')]);
  }
  await makeUser(http);
  await makeDesk(http);
  records.push(['result-failed', await makeFailure(http)]);
  await askAdmin(http, 'mutation { startBackup { started userErrors { message } } }');
  return [
    ...STRANGERS,
    ...NAMED.map((name) => ({ name, path: PATHS[name], isSignedIn: true })),
    ...records.map(([name, identifier]) => ({ name, path: resultPath(identifier), isSignedIn: true })),
  ];
}

/** Nothing listens there. */
async function makeFailure(http: string): Promise<string> {
  const query = `mutation { submitMedia(input: { fileUrl: "http://127.0.0.1:9/gone.jpg", kind: IMAGE, options: {} }) { classification { identifier } userErrors { message } } }`;
  const { submitMedia } = await askAdmin<{ submitMedia: { classification: { identifier: string } } }>(
    http,
    query,
  );
  return submitMedia.classification.identifier;
}

async function makeDesk(http: string): Promise<void> {
  const made = `mutation { addDesk(name: "Night desk") { desk { id } userErrors { message } } }`;
  const { addDesk } = await askAdmin<{ addDesk: { desk: { id: string } } }>(http, made);
  const named = (email: string, role: string) =>
    `mutation { setDeskMember(id: ${addDesk.desk.id}, email: "${email}", role: ${role}) { userErrors { message } } }`;
  await askAdmin(http, named(PHOTO_EMAIL, 'SIGNS_OFF'));
}

async function makeUser(http: string): Promise<void> {
  const query = `mutation { createUser(input: { name: "Photo editor", email: "${PHOTO_EMAIL}" }) { userErrors { message } } }`;
  await askAdmin(http, query);
}

async function askAdmin<T>(http: string, query: string): Promise<T> {
  const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
  const response = await fetch(`${http}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as {
    data?: T & Record<string, { userErrors: unknown[] }>;
    errors?: unknown;
  };
  const faults = errors ?? Object.values(data ?? {}).flatMap(({ userErrors }) => userErrors);
  if (data === undefined || !Array.isArray(faults) || faults.length > 0)
    throw new Error(`${query}: ${JSON.stringify(faults)}`);
  return data;
}
