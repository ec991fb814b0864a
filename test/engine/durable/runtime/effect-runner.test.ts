import test from 'ava';
import { actorSpec } from '../../../../engine/durable/live/specs.ts';
import { EffectRunner, type SavedStep } from '../../../../engine/durable/runtime/effect-runner.ts';
import { Rows } from '../../../../engine/durable/runtime/rows.ts';
import { type NodeRow, newNodeRow } from '../../../../engine/durable/step/node.ts';
import type { Effect, PendingEffects } from '../../../../engine/durable/step/row.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { documentLive } from '../../../support/engine/document-live.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const AT = '2026-01-01T00:00:00.000Z';
const effect: Effect = { kind: 'timer', at: 0 };
const pendingEffects = (version: number): PendingEffects => ({
  version,
  at: AT,
  last: 0,
  effects: [effect],
  lines: [],
  events: [],
});
const asking = (row: NodeRow, version: number): NodeRow => {
  return { ...row, version, pendingEffects: [...row.pendingEffects, pendingEffects(version)], pending: true };
};

async function opened(
  perform: () => Promise<void>,
  publish: (steps: readonly SavedStep<NodeRow>[], follows: boolean) => Promise<void> = async () => {},
) {
  const stored = await new MemoryStore().collection<NodeRow>(actorSpec);
  const rows = new Rows(documentLive(stored), true);
  const runner = new EffectRunner(rows, {
    perform,
    publish,
    busy: () => false,
    isOver: () => false,
    failed: () => {},
  });
  const row = asking(newNodeRow('node', 0), 1);
  await rows.insert(row);
  return { stored, rows, runner, row };
}

test('a process that waits for a step is notified when its effects have run, even if the sweep found it first', async (t) => {
  const gate = deferred();
  const begun = deferred();
  const { runner, row } = await opened(async () => {
    begun.resolve();
    await gate.promise;
  });
  const swept = runner.retry(row);
  await begun.promise;
  let through = false;
  const carried = runner.run(row).then(() => {
    through = true;
  });
  // Long enough for it to finish in any other way.
  await new Promise(setImmediate);
  t.false(through);
  gate.resolve();
  await Promise.all([swept, carried]);
  t.true(through);
  await runner.close();
});

test('a row is marked tidy once, by the step that drops its finished effects or by the effect runner', async (t) => {
  const { stored, rows, runner, row } = await opened(async () => {});
  await runner.run(row);
  const next = await rows.step('node', async (now) => ({
    changed: true,
    row: { ...now, version: now.version + 1, pending: now.pendingEffects.length > 0 },
    replies: [],
  }));
  t.deepEqual(next?.row.pendingEffects, []);
  await runner.close();
  t.is((await stored.get('node'))?.version, 2);
  const last = asking((await stored.get('node')) as NodeRow, 3);
  const again = new EffectRunner(rows, {
    perform: async () => {},
    publish: async () => {},
    busy: () => false,
    isOver: () => false,
    failed: () => {},
  });
  await rows.step('node', async () => ({ changed: true, row: last, replies: [] }));
  await again.run(last);
  await again.close();
  const tidy = await stored.get('node');
  t.deepEqual([tidy?.version, tidy?.pendingEffects, tidy?.pending], [4, [], false]);
});

test('a step is done only after all steps before it, even if its own effects have run', async (t) => {
  const gate = deferred();
  let tries = 0;
  const publish = async (steps: readonly SavedStep<NodeRow>[]) => {
    const version = steps[0]?.pendingEffects.version;
    if (version === 1 && ++tries === 1) await gate.promise.then(() => Promise.reject(new Error('the store is away')));
  };
  const { rows, runner, row } = await opened(async () => {}, publish);
  const both = asking(row, 2);
  await runner.run(both);
  gate.resolve();
  await new Promise(setImmediate);
  t.is(rows.doneUpTo('node'), 0);
  t.true(await runner.settle(both));
  t.deepEqual([tries, rows.doneUpTo('node')], [2, 2]);
  await runner.close();
});

test('a row with a step in progress is neither tidied nor read for tidying, nor during a write', async (t) => {
  const { stored, rows, runner, row } = await opened(async () => {});
  const reads: string[] = [];
  const { get } = stored;
  stored.get = (id) => {
    reads.push(id);
    return get.call(stored, id);
  };
  await rows.tidy('node', { busy: () => false, isOver: () => false });
  const written = rows.step('node', async () => ({ changed: true, row: asking(row, 2), replies: [] }));
  await Promise.all([written, rows.tidy('node', { busy: () => false, isOver: () => false })]);
  t.deepEqual(reads, []);
  t.is((await get.call(stored, 'node'))?.version, 2);
  await runner.close();
});

test('a request that another process made in the meantime is still in the row after it was tidied', async (t) => {
  const { stored, rows, runner, row } = await opened(async () => {});
  rows.forgetDone('node', 1);
  t.deepEqual(await stored.replace([asking(row, 2)]), [true]);
  await rows.tidy('node', { busy: () => false, isOver: () => false });
  const after = await stored.get('node');
  t.deepEqual([after?.version, after?.pendingEffects.map(({ version }) => version), after?.pending], [2, [1, 2], true]);
  await runner.close();
});

test('effects of a step by another process that have run here are recorded, although the row in memory is tidy', async (t) => {
  const { stored, rows, runner } = await opened(async () => {});
  const state = { busy: () => false, isOver: () => false };
  rows.forgetDone('node', 1);
  await rows.tidy('node', state);
  const tidied = (await stored.get('node')) as NodeRow;
  t.deepEqual(await stored.replace([asking(tidied, 3)]), [true]);
  rows.forgetDone('node', 3);
  await rows.tidy('node', state);
  const after = await stored.get('node');
  t.deepEqual([after?.version, after?.pendingEffects, after?.pending, rows.doneUpTo('node')], [4, [], false, 0]);
  await runner.close();
});

test('events of steps that are taken during a publication go out together; after a failure all of them go again, in order', async (t) => {
  const gates = [deferred(), deferred()];
  const published: [versions: number[], follows: boolean][] = [];
  const publish = async (steps: readonly SavedStep<NodeRow>[], follows: boolean) => {
    published.push([steps.map(({ pendingEffects }) => pendingEffects.version), follows]);
    await gates[published.length - 1]?.promise;
    if (published.length === 2) throw new Error('the broker rejected one of them');
  };
  const { rows, runner, row } = await opened(async () => {}, publish);
  const [two, three] = [asking(row, 2), asking(asking(row, 2), 3)];
  await runner.runFirst(row);
  await runner.run(two);
  await runner.run(three);
  gates[0]?.resolve();
  await until(() => published.length === 2);
  gates[1]?.resolve();
  await until(() => rows.doneUpTo('node') === 1);
  await runner.retry(three);
  t.true(await runner.settle({ ...three, pendingEffects: [] }));
  await until(() => rows.doneUpTo('node') === 3);
  t.deepEqual(published, [
    [[1], true],
    [[2, 3], true],
    [[2], true],
    [[3], true],
  ]);
  await runner.close();
});

const until = async (isMet: () => boolean): Promise<void> => {
  while (!isMet()) await new Promise(setImmediate);
};
