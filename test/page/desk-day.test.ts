import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { tokenIn } from '../app/open-app.ts';
import { scene } from '../media/scene.ts';
import { sharedData, skipWithoutSharedData } from '../shared-data.ts';
import { type Desk, findFaults, signIn, TestBrowser, tabTo } from './browser.ts';
import { classify, type DeskDaemon, makeFilm, startDesk } from './desk-daemon.ts';
import { dropAnywhere, type NamedBytes, openPerson, type Person } from './person.ts';

/** Clicks that each takes; keys are free. */
const JOBS = {
  'from any page to the verdict of a dropped file': 2,
  'from a picture to each of its maps': 1,
  'a finding is stated and its sign-off asked for': 5,
  'a sign-off that waits is answered': 3,
  'a crop is searched and its picture opened': 3,
} as const;

const FILES = 40;
const SIGNED = [
  ['truepic-20230212-camera.jpg', 'Signed capture'],
  ['ChatGPT_Image.png', 'Signed, not trusted'],
] as const;
const skip = skipWithoutSharedData('c2pa-writers');
const EDITOR = { name: 'Ada', email: 'ada@example.org', role: 'states findings' };
const COLLEAGUE = { name: 'Bruno', email: 'bruno@example.org', role: 'signs off' };
const PASSWORD = 'another long password';
const FINDING = /A person says that .* is human-made/;

let daemon: DeskDaemon;
let browser: TestBrowser;
let administrator: Person;
let editor: Person;
let colleague: Person;
/** Address of the record that the day is about. */
let link: string;

before(async () => {
  daemon = await startDesk({ models: 'tiny' });
  browser = await TestBrowser.start();
  const openOne = () => openPerson(browser, daemon);
  [administrator, editor, colleague] = await Promise.all([openOne(), openOne(), openOne()]);
});

after(async () => {
  for (const person of [administrator, editor, colleague]) await person?.[Symbol.asyncDispose]();
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

async function assertClicks(person: Person, job: keyof typeof JOBS, work: () => Promise<void>) {
  person.clicks = 0;
  await work();
  assert.equal(person.clicks, JOBS[job], job);
}

async function assertClean(person: Person): Promise<void> {
  await person.page.locator('h1').first().waitFor();
  await person.page.waitForFunction(() => document.querySelector('.loading') === null);
  assert.deepEqual(await findFaults(person), [], person.page.url());
  assert.deepEqual(person.faults, []);
}

async function pictures(count: number): Promise<NamedBytes[]> {
  const made = Array.from({ length: count }, async (_, index) => ({
    name: `picture-${index}.jpg`,
    bytes: await scene(100 + index, 320 + index, 280)
      .jpeg()
      .toBuffer(),
  }));
  return await Promise.all(made);
}

const square = (): Promise<Buffer> => scene(7, 900, 700).jpeg({ quality: 92 }).toBuffer();

let isBroken = false;

/** Nothing is played on if something before it went wrong. */
function act(name: string, work: () => Promise<void>, isLeftOut: string | false = false): void {
  test(name, { skip: isLeftOut }, async (context) => {
    if (isBroken) return context.skip('an act before it failed');
    isBroken = true;
    await work();
    isBroken = false;
  });
}

const rowOf = ({ page }: Desk, name: string): Locator => page.getByRole('listitem').filter({ hasText: name });

act('the administrator follows the first steps, makes two accounts and names them at a desk', async () => {
  const { page } = administrator;
  await signIn(administrator);
  await assertClean(administrator);
  await page.getByRole('link', { name: 'First steps' }).click();
  await page.getByText('No mail server is set').waitFor();
  await page.getByLabel('Rule of the plan').first().selectOption({ label: 'Signed as AI' });
  await page.getByRole('button', { name: 'Analyse a sample' }).waitFor();
  await assertClean(administrator);
  await page.getByRole('main').getByRole('link', { name: 'Users' }).click();
  for (const { name, email } of [EDITOR, COLLEAGUE]) {
    await page.getByRole('button', { name: 'Create a user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('E-mail').fill(email);
    await dialog.getByRole('button', { name: 'Create a user' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  for (const [person, { name, email }] of [
    [editor, EDITOR],
    [colleague, COLLEAGUE],
  ] as const) {
    await page.getByRole('button', { name: `Mail a link: ${name}` }).click();
    const said = await page.getByText(`hand it to ${email}`).textContent();
    const [, file = ''] = /lies in (\S+) on the box/.exec(said ?? '') ?? [];
    await person.page.goto(`/set-password?token=${tokenIn(readFileSync(file, 'utf8'))}`);
    await person.page.getByLabel('New password').fill(PASSWORD);
    await assertClean(person);
    await person.page.getByRole('button', { name: 'Set a password' }).click();
    await person.page.getByText('No records yet').waitFor();
  }
  await assertClean(administrator);
  await page.goto('/desks');
  await page.getByLabel('Name of the desk').fill('Night desk');
  await page.getByRole('button', { name: 'Make a desk' }).click();
  const panel = page.getByRole('region', { name: 'Night desk', exact: true });
  for (const { email, role } of [EDITOR, COLLEAGUE]) {
    await panel.getByLabel('E-mail').fill(email);
    await panel.getByLabel('Role').selectOption({ label: role });
    await panel.getByRole('button', { name: 'Give the role' }).click();
    await panel.getByRole('row', { name: email }).getByText(role).waitFor();
  }
  await panel.getByText('You are not a member').waitFor();
  await assertClean(administrator);
});

act(
  'the editor drops 40 files on the list; one progress follows them, and each says whether it is signed',
  async () => {
    const { page } = editor;
    await page.reload();
    const signed =
      skip === false
        ? SIGNED.map(([name]) => ({ name, bytes: readFileSync(sharedData('c2pa-writers', name)) }))
        : [];
    await dropAnywhere(editor, [...signed, ...(await pictures(FILES - signed.length))]);
    const progress = page.getByRole('complementary', { name: 'Files that were sent' });
    await progress.getByText(`${FILES} of ${FILES} judged.`).waitFor();
    await progress.getByRole('button', { name: 'Clear' }).click();
    await progress.waitFor({ state: 'detached' });
    await rowOf(editor, 'picture-3.jpg').getByText('New').waitFor();
    if (skip === false)
      for (const [name, headline] of SIGNED) await rowOf(editor, name).getByText(headline).waitFor();
    await assertClean(editor);
  },
);

act(
  'the verdict is near from any page, each map is one click away, and the picture opens whole',
  async () => {
    const { page } = editor;
    await page.goto('/account');
    await assertClean(editor);
    await dropAnywhere(editor, [{ name: 'square.jpg', bytes: await square() }]);
    await page.getByText('1 of 1 judged.').waitFor();
    await assertClicks(editor, 'from any page to the verdict of a dropped file', async () => {
      await page.getByRole('link', { name: 'Show', exact: true }).click();
      await page.getByRole('link', { name: 'square.jpg' }).click();
      await page.getByRole('region', { name: 'Verdict' }).waitFor();
    });
    await assertClean(editor);
    const layers = page.getByRole('group', { name: 'What is shown' }).getByRole('button');
    const maps = (await layers.allTextContents()).filter((text) => !['Picture', 'Compare'].includes(text));
    assert.ok(maps.includes('Where it looks artificial'), maps.join());
    for (const map of maps)
      await assertClicks(editor, 'from a picture to each of its maps', async () => {
        await layers.getByText(map).click();
        await page.getByRole('img', { name: 'Heatmap' }).waitFor();
      });
    await page.getByRole('region', { name: 'Picture', exact: true }).locator('.stage').click();
    assert.equal(await page.locator('section.picture:popover-open').count(), 1);
    await page.getByRole('img', { name: 'Heatmap' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('section.picture:popover-open').waitFor({ state: 'detached' });
    assert.ok(await page.locator('section.picture').isVisible());
  },
);

act('the keys lead back to the list, into it and from record to record', async () => {
  const { page } = editor;
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1, name: 'Records' }).waitFor();
  const rows = page.getByRole('list', { name: 'Records' }).getByRole('link');
  const [first = '', second = ''] = await rows.allTextContents();
  await rows.first().click();
  await page.getByRole('heading', { level: 1, name: first }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { level: 1, name: second }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('heading', { level: 1, name: first }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByRole('button', { name: 'Close' }).click();
});

act(
  'a camera and an AI that signed are named before anything that was measured',
  async () => {
    const { page } = editor;
    for (const [name, headline] of SIGNED) {
      await page.goto('/');
      await page.getByRole('link', { name }).click();
      const verdict = page.getByRole('region', { name: 'Verdict' });
      await verdict.waitFor();
      assert.match((await verdict.locator('.verdict-sentence').textContent()) ?? '', /sign/i, headline);
      await page.getByRole('link', { name: 'Provenance' }).click();
      await page.getByText('Signed by', { exact: true }).first().waitFor();
      await assertClean(editor);
    }
  },
  skip,
);

act(
  'the editor states a finding and asks for a sign-off; the colleague finds the question and agrees',
  async () => {
    const { page } = editor;
    await page.goto('/');
    await page.getByRole('link', { name: 'square.jpg' }).click();
    await assertClicks(editor, 'a finding is stated and its sign-off asked for', async () => {
      await page.getByRole('link', { name: 'Your own finding' }).click();
      await page.getByLabel('Human', { exact: true }).click();
      await page.getByLabel('Reason').click();
      await page.keyboard.type('Our photographer was there.');
      await page.getByRole('button', { name: 'Save the finding' }).click();
      await page.getByText(FINDING).waitFor();
      await page.getByText(`May answer: ${COLLEAGUE.name}, Administrator.`).waitFor();
      await page.getByRole('button', { name: 'Ask for a sign-off' }).click();
      await page.getByText('Sign-off open').first().waitFor();
    });
    await assertClean(editor);
    const { page: other } = colleague;
    await other.goto('/');
    await assertClicks(colleague, 'a sign-off that waits is answered', async () => {
      await other.getByRole('link', { name: '1 to sign off' }).click();
      await other.getByRole('link', { name: 'square.jpg' }).click();
      await other.getByText(`${EDITOR.name} states: Human. Do you agree?`).waitFor();
      await other.getByRole('button', { name: 'I agree' }).click();
      await other.getByText('Another person agrees with the finding').first().waitFor();
    });
    await other.getByRole('link', { name: '1 to sign off' }).waitFor({ state: 'detached' });
    await assertClean(colleague);
    await page.getByText(`${COLLEAGUE.name} agrees`).waitFor();
  },
);

act('the link opens with the colleague; the keyboard alone makes the evidence package', async () => {
  const { page } = editor;
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Copied').waitFor();
  link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, page.url().replace(/#.*/, ''));
  await colleague.page.goto(link);
  await colleague.page.getByText(FINDING).waitFor();
  await page.reload();
  await page.getByText(FINDING).waitFor();
  await tabTo(editor, 'Evidence package');
  await page.keyboard.press('Enter');
  await assertClean(editor);
  await tabTo(editor, 'Make the package');
  await page.keyboard.press('Enter');
  await page.getByText(/^Ready: /).waitFor();
  const download = page.waitForEvent('download');
  await tabTo(editor, 'Download');
  await page.keyboard.press('Enter');
  assert.match((await download).suggestedFilename(), /\.zip$/);
});

act('the colleague finds the whole picture by a part of it', async () => {
  const part = { left: 150, top: 100, width: 560, height: 440 };
  const crop = await sharp(await square())
    .extract(part)
    .jpeg()
    .toBuffer();
  const { page } = colleague;
  const found = page.getByRole('link', { name: 'square.jpg' });
  const search = async (): Promise<void> => {
    await page.goto('/');
    colleague.clicks = 0;
    await page.getByRole('link', { name: 'Search', exact: true }).click();
    const chosen = page.waitForEvent('filechooser');
    await page.getByText('Choose a picture').click();
    await (await chosen).setFiles({ name: 'crop.jpg', mimeType: 'image/jpeg', buffer: crop });
    await page.getByRole('status').filter({ hasText: 'pictures' }).waitFor();
  };
  // Parts are described behind the verdict, once nothing waits.
  for (let tries = 0; tries < 60 && !(await found.isVisible()); tries += 1) await search();
  await assertClean(colleague);
  await found.click();
  await page.getByRole('region', { name: 'Verdict' }).waitFor();
  assert.equal(colleague.clicks, JOBS['a crop is searched and its picture opened']);
});

act('the editor leaves; the desk keeps what was sent for it, and the editor sees it no more', async () => {
  await editor.page.goto('/desks');
  const panel = editor.page.getByRole('region', { name: 'Night desk', exact: true });
  await panel.getByText('Your role: states findings.').waitFor();
  await assertClean(editor);
  await panel.getByRole('button', { name: 'Leave: ' }).click();
  await panel.waitFor({ state: 'detached' });
  await editor.page.goto(link);
  await editor.page.getByText('No such record').first().waitFor();
  await editor.page.goto('/');
  await editor.page.getByText('No records yet').waitFor();
  const { page } = colleague;
  await page.goto('/');
  await rowOf(colleague, 'square.jpg').getByText(EDITOR.name).waitFor();
  const desks = page.getByRole('combobox', { name: 'Desk' });
  await desks.selectOption({ label: 'none' });
  await page.getByText('Nothing found').waitFor();
  await desks.selectOption({ label: 'Night desk' });
  await page.getByRole('link', { name: 'square.jpg' }).click();
  await page.getByText(FINDING).waitFor();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText(`Received · ${EDITOR.name}`).waitFor();
  await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
  await assertClean(colleague);
});

act('a frame leads to its moment in the video', async () => {
  const identifier = await classify(daemon.http, 'video', makeFilm(6), 'street.webm', { frames: '5' });
  const { page } = administrator;
  await page.goto(`/classifications/${identifier}`);
  await page
    .getByRole('link', { name: /^Details: Frame at/ })
    .nth(3)
    .click();
  await page.getByRole('link', { name: 'This moment in the video' }).click();
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 2);
  const chosen = page.getByRole('list', { name: 'Frames' }).getByRole('button', { pressed: true });
  assert.match((await chosen.textContent()) ?? '', /^Frame at 0:0[3-5]/);
  assert.deepEqual(administrator.faults, []);
});

act(
  'what was dropped is shown with its price where the plan charges, and the options are remembered',
  async () => {
    const { page } = administrator;
    await page.goto('/plans');
    await page.getByRole('button', { name: /^Edit/ }).first().click();
    await page.getByLabel('Credits for each (Image)').fill('2');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goto('/');
    const [first, second] = await pictures(2);
    assert.ok(first !== undefined && second !== undefined);
    await dropAnywhere(administrator, [first]);
    const dialog = page.getByRole('dialog', { name: 'Send what was dropped?' });
    await dialog.getByText('This takes 2 credits.').waitFor();
    await assertClean(administrator);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dropAnywhere(administrator, [first, second]);
    await dialog.getByText(second.name).waitFor();
    await dialog.getByText('This takes 4 credits.').waitFor();
    await dialog.getByText('Options').click();
    await dialog.getByLabel('Heatmap').uncheck();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByText('2 of 2 judged.').waitFor();
    await page.goto('/submit');
    await page.getByText('Options').click();
    assert.equal(await page.getByLabel('Heatmap').isChecked(), false);
    assert.deepEqual(administrator.faults, []);
  },
);
