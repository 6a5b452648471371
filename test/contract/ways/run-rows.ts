/** Runs rows of a table through REST, GraphQL and gRPC: the same act, the same answer, the same refusal. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { REASONS, type Reason } from '../../../src/domain/errors.ts';
import { type Service, shareService } from '../../interface/service.ts';
import type { OperationCase } from '../accounts/account-cases.ts';
import { type FullCaller, type Result, refused } from './caller.ts';
import { FACADES, openFullStage, openStage, type Stage } from './stage.ts';

/** The stages of the facades that can do more than docs/interface.md; filled before the tests begin. */
export function runRows(rows: readonly OperationCase[]): readonly Stage<FullCaller>[] {
  let service: Service;
  const stages = new Map<string, Stage>();
  const fullStages: Stage<FullCaller>[] = [];
  before(async () => {
    service = await shareService();
    for (const facade of FACADES) stages.set(facade, await openStage(service, facade));
    for (const facade of ['GraphQL', 'gRPC'] as const) fullStages.push(await openFullStage(service, facade));
  });
  after(async () => {
    for (const stage of [...stages.values(), ...fullStages]) stage[Symbol.dispose]();
    await service[Symbol.asyncDispose]();
  });
  for (const row of rows) {
    test(row.name, async (t) => {
      for (const facade of FACADES) {
        await t.test(`by ${facade}`, async () => {
          const stage = stages.get(facade);
          assert.ok(stage !== undefined);
          assertOutcome(await row.act(stage), row, stage);
        });
      }
    });
  }
  return fullStages;
}

function assertOutcome(result: Result<unknown>, { gives, refuses }: OperationCase, stage: Stage): void {
  if (refuses === undefined) {
    assert.deepEqual(result, { value: typeof gives === 'function' ? gives(stage) : gives });
    return;
  }
  const { http } = REASONS[refuses as Reason];
  assert.equal(refused(result).reason, stage.callers.plain.name === 'REST' ? String(http) : refuses);
}
