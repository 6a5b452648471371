/** Runs rows of a table through REST, GraphQL and gRPC: the same act, the same answer, the same refusal. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { REASONS, type Reason } from '../../../src/domain/errors.ts';
import { openService, type Service } from '../../interface/service.ts';
import type { OperationCase } from '../account-cases.ts';
import type { FullCaller } from './caller.ts';
import { FACADES, openFullStage, openStage, type Stage } from './stage.ts';

/** The stages of the facades that can do more than docs/interface.md; filled before the tests begin. */
export function runRows(rows: readonly OperationCase[]): readonly Stage<FullCaller>[] {
  let service: Service;
  const stages = new Map<string, Stage>();
  const fullStages: Stage<FullCaller>[] = [];
  before(async () => {
    service = await openService();
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
          assert.deepEqual(await row.act(stage), expectedOf(row, stage, facade));
        });
      }
    });
  }
  return fullStages;
}

function expectedOf({ gives, refuses }: OperationCase, stage: Stage, facade: string): unknown {
  if (refuses === undefined) return { value: typeof gives === 'function' ? gives(stage) : gives };
  const { http } = REASONS[refuses as Reason];
  return { fault: { reason: facade === 'REST' ? String(http) : refuses } };
}
