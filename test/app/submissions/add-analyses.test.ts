import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { FF_ENCODER_LIBVPX_VP8 } from 'node-av/constants';
import { listAudit } from '../../../src/app/accounts/audit.ts';
import { getCredits } from '../../../src/app/accounts/credits.ts';
import { createPlan } from '../../../src/app/accounts/plans.ts';
import { grantCredits } from '../../../src/app/accounts/users.ts';
import type { Principal } from '../../../src/app/callers/principal.ts';
import {
  cancelClassification,
  deleteClassification,
  getClassification,
  getHeatmap,
} from '../../../src/app/records/classifications.ts';
import { watchClassification } from '../../../src/app/records/watch.ts';
import { addAnalyses } from '../../../src/app/submissions/add-analyses.ts';
import { submitMedia } from '../../../src/app/submissions/submit.ts';
import { receiveMedia } from '../../../src/app/submissions/uploads.ts';
import type { ClassificationRecord, ImageRecord, VideoRecord } from '../../../src/domain/answers/record.ts';
import type { MediaKind } from '../../../src/domain/media/media.ts';
import { makeVideo } from '../../media/make-media.ts';
import { patternImage } from '../../media/pictures.ts';
import { addUser, BUILT_IN_MODELS, type OpenApp, openApp, principalOf } from '../open-app.ts';

const NEVER = new AbortController().signal;
let open: OpenApp;

before(async () => {
  open = await openApp(BUILT_IN_MODELS);
  while (open.app.engine.phase === 'starting') await new Promise((resolve) => setTimeout(resolve, 50));
});

after(async () => {
  await open[Symbol.asyncDispose]();
});

/** An account with 20 credits under a plan in which a picture costs 2, a heatmap 3 more and a map of edits 4. */
async function payer(fields: Record<string, unknown> = {}): Promise<Principal> {
  const { app, admin } = open;
  const prices = { image_credits: 2, option_credits: { heatmap: 3, tampering: 4 } };
  const plan = await createPlan(app, {
    principal: admin,
    fields: { ...prices, options: 'heatmap,tampering', ...fields, name: `Plan ${app.clock.now()}` },
  });
  const { id } = await addUser(app, admin, { pricing_id: plan.id });
  await grantCredits(app, { principal: admin, id, amount: 20, note: '' });
  return principalOf(app, id);
}

async function judged(
  principal: Principal,
  kind: MediaKind,
  bytes: Uint8Array,
): Promise<ClassificationRecord> {
  const upload = {
    principal,
    field: kind,
    name: `a.${kind}`,
    bytes: (async function* () {
      yield bytes;
    })(),
  };
  await using media = await receiveMedia(open.app, upload, NEVER);
  const input = { principal, facade: 'rest', kind, field: kind, fields: { frames: 5 }, media } as const;
  const { identifier } = await submitMedia(open.app, input, NEVER);
  return await settled(principal, identifier);
}

/** Waits until nothing waits or runs for the record. */
async function settled(principal: Principal, identifier: string): Promise<ClassificationRecord> {
  let last: ClassificationRecord | undefined;
  for await (const record of watchClassification(open.app, { principal, identifier }, NEVER)) last = record;
  assert.ok(last);
  return last;
}

async function picture(seed: number): Promise<Buffer> {
  return await patternImage(320 + seed, 300)
    .png()
    .toBuffer();
}

const add = (principal: Principal, identifier: string, ...analyses: string[]) =>
  addAnalyses(open.app, { principal, identifier, analyses });

const available = (principal: Principal): number => getCredits(open.app, { principal }).availableCredits;

/** What was measured and said of the origin, without what an added analysis says. */
function saidBy({ verdict, verdicts, assessment, provenance, marks }: ClassificationRecord): object {
  const reasons = assessment?.reasons.filter(({ code }) => !code.endsWith('SIGNS_OF_EDITING'));
  return { verdict, verdicts, assessment: { ...assessment, reasons }, provenance, marks };
}

test('maps are made of a judged picture, charged once, and change nothing that was measured', async () => {
  const principal = await payer();
  const before = await judged(principal, 'image', await picture(1));
  const { identifier } = before;
  assert.equal(before.added, null);
  const asked = await add(principal, identifier, 'heatmap', 'tampering');
  assert.equal(asked.status, 'done', 'the result stays readable meanwhile');
  assert.deepEqual(asked.added?.analyses, ['heatmap', 'tampering']);
  assert.ok(asked.added?.progress);
  assert.deepEqual(saidBy(asked), saidBy(before));
  await add(principal, identifier, 'heatmap');
  assert.equal(available(principal), 20 - 2 - 3 - 4, 'what is under way is not charged again');
  const after = (await settled(principal, identifier)) as ImageRecord;
  assert.equal(after.added, null);
  assert.equal(after.credits, 9);
  assert.deepEqual([after.options.withHeatmap, after.options.withTampering], [true, true]);
  assert.deepEqual(saidBy(after), saidBy(before));
  assert.ok(after.heatmapLayers.includes('origin') && after.heatmapLayers.includes('tampering'));
  for (const layer of after.heatmapLayers) {
    assert.ok((await getHeatmap(open.app, { principal, identifier, layer })).sizeBytes > 0);
  }
  await add(principal, identifier, 'heatmap', 'tampering');
  assert.equal(available(principal), 11, 'what is there costs nothing');
  const [line] = listAudit(open.app, { principal: open.admin, limit: 50 }).filter(
    ({ action, target }) => action === 'classification.add' && target === identifier,
  );
  assert.deepEqual(line?.details, { analyses: 'heatmap, tampering', credits: '7' });
});

test('an analysis that cannot be added is refused with the reason, and costs nothing', async () => {
  const principal = await payer({ options: 'heatmap' });
  const { identifier, hash } = await judged(principal, 'image', await picture(2));
  const refused = (words: string[], reason: string, message: RegExp) =>
    assert.rejects(add(principal, identifier, ...words), { reason, message });
  await refused([], 'bad_field', /at least one analysis/);
  await refused(['transcript'], 'bad_field', /expected of image one of heatmap, morphing, tampering/);
  await refused(['tampering'], 'not_enabled', /does not enable tampering/);
  const other = await payer();
  await assert.rejects(add(other, identifier, 'heatmap'), { reason: 'classification' });
  await open.app.store.blobs.remove(hash);
  await refused(['heatmap'], 'media', /not stored: nothing can be made/);
  assert.equal(available(principal), 18);
});

test('an addition ends by a cancel or with the record, and the result stays until then', async () => {
  const principal = await payer();
  const { identifier } = await judged(principal, 'image', await picture(3));
  await add(principal, identifier, 'heatmap');
  await assert.rejects(add(principal, identifier, 'tampering'), {
    reason: 'not_ended',
    message: /heatmap is being added/,
  });
  const cancelled = await cancelClassification(open.app, { principal, identifier });
  assert.deepEqual([cancelled.status, cancelled.added, cancelled.cancelled], ['done', null, false]);
  await assert.rejects(cancelClassification(open.app, { principal, identifier }), {
    reason: 'already_ended',
  });
  await add(principal, identifier, 'tampering');
  await deleteClassification(open.app, { principal, identifier });
  assert.throws(() => getClassification(open.app, { principal, identifier }), { reason: 'classification' });
  assert.deepEqual([...open.app.store.read.openAnalyses()], [], 'no work is left');
});

test('an addition that fails is refunded and says why, and what was measured stays', async () => {
  const principal = await payer();
  const before = await judged(principal, 'image', await picture(4));
  const { identifier, hash } = before;
  await writeFile(open.app.store.blobs.pathOf(hash), 'what the disk made of it');
  await add(principal, identifier, 'heatmap');
  const after = await settled(principal, identifier);
  assert.match(after.added?.error ?? '', /^the stored file is no longer the one that was submitted/);
  assert.equal(after.added?.progress, null);
  assert.deepEqual([after.status, after.credits, available(principal)], ['done', 2, 18]);
  assert.deepEqual(saidBy(after), saidBy(before));
});

test('frames of a video get their maps and keep their identifiers', async () => {
  const principal = await payer();
  const film = makeVideo({
    ...{ container: 'webm', codec: FF_ENCODER_LIBVPX_VP8, seconds: 2, width: 480, height: 360, fps: 10 },
  });
  const before = (await judged(principal, 'video', film)) as VideoRecord;
  const [frame] = before.images;
  assert.ok(frame && !frame.hasHeatmap);
  await add(principal, frame.identifier, 'heatmap');
  const after = (await settled(principal, before.identifier)) as VideoRecord;
  assert.deepEqual(
    after.images.map(({ identifier }) => identifier),
    before.images.map(({ identifier }) => identifier),
  );
  assert.deepEqual(saidBy(after), saidBy(before));
  const mapped = after.images.filter(({ hasHeatmap }) => hasHeatmap);
  for (const { identifier } of mapped) {
    const { path } = await getHeatmap(open.app, { principal, identifier });
    assert.ok((await stat(path)).size > 0);
  }
});
