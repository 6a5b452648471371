import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appliancePlan, type Plan } from '../../../src/domain/accounts/plan.ts';
import { enabledOptions, priceOf } from '../../../src/domain/accounts/price.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';

const PLAN: Plan = {
  ...appliancePlan(0),
  credits: { image: 2, video: 10, audio: 4 },
  optionCredits: { morphing: 3, nsfw: 0.5 },
};
const WITH_FACES = { ...DEFAULT_OPTIONS, withMorphing: true };

test('looking at faces costs what the plan says, on top of the kind', () => {
  const submission = { kind: 'image', options: WITH_FACES, webhookUrl: null } as const;
  assert.equal(priceOf(PLAN, { ...submission, options: DEFAULT_OPTIONS }), 2);
  assert.equal(priceOf(PLAN, submission), 5);
  assert.equal(priceOf(PLAN, { ...submission, kind: 'video' }), 13);
});

test('a plan without faces ignores the option, and charges nothing for it', () => {
  const without: Plan = { ...PLAN, options: PLAN.options.filter((option) => option !== 'morphing') };
  const options = enabledOptions(without, WITH_FACES);
  assert.equal(options.withMorphing, false);
  assert.equal(priceOf(without, { kind: 'image', options, webhookUrl: null }), 2);
  assert.equal(enabledOptions(PLAN, WITH_FACES).withMorphing, true);
});
