/** Rules of the live port, for each of its adapters. The rows are those of real workflows. */
import { randomUUID } from 'node:crypto';
import type { TestFn } from 'ava';
import fc from 'fast-check';
import type { LiveRows } from '../../engine/durable/live/port.ts';
import type { Env } from '../../engine/durable/step/builder.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { launch, step } from '../../engine/durable/step/workflow.ts';
import { graphOfList } from '../../engine/library/forms/list-of-tasks.ts';
import { isActive } from '../../engine/vocabulary/states.ts';
import { api, lookups } from '../support/engine/tasks.ts';

const graph = graphOfList(
  {
    friendlyName: 'Three',
    injectableName: 'Graph.Live.Three',
    tasks: [
      { label: 'a', taskName: 'Task.noop' },
      { label: 'b', taskName: 'Task.noop', waitOn: { a: 'succeeded' } },
      { label: 'c', taskName: 'Task.noop', waitOn: { a: 'finished' } },
      { label: 'd', taskName: 'Task.noop', waitOn: { b: 'failed' } },
    ],
  },
  lookups,
  api,
);

const env = (): Env => ({ now: Date.now(), uuid: randomUUID });

export const newRow = (node: string | null = null, createdAt = new Date().toISOString()): WorkflowRow => {
  const id = randomUUID();
  const start = {
    id,
    graphName: graph.name,
    definitionHash: graph.hash,
    node,
    mailboxId: node ?? id,
    domain: 'default',
    operator: null,
    options: {},
    bindings: { env: { a: ['b'] } },
    parent: null,
    encrypted: false,
    traceparent: '00-11111111111111111111111111111111-1111111111111111-00',
    createdAt,
  };
  return launch(start, graph, env());
};

/** Takes a step; the effects of earlier ones have run. */
export function stepped(row: WorkflowRow, pick = 0, isGood = true): WorkflowRow {
  const before = { ...row, pendingEffects: [] };
  const open = Object.keys(row.operations);
  const operation = open[pick % Math.max(1, open.length)];
  if (operation === undefined) return { ...before, version: row.version + 1, pending: false };
  const error = { name: 'Error', message: 'no', code: 'TASK_FAILED' };
  const message = isGood
    ? ({ type: 'work.done', operation, output: { n: row.version } } as const)
    : ({ type: 'work.failed', operation, error } as const);
  return step(before, graph, message, env()).row;
}

/** As stored: the lines of a step may be in the history instead. */
export const shown = (row: WorkflowRow | undefined) =>
  row && {
    ...(JSON.parse(JSON.stringify(row)) as WorkflowRow),
    pendingEffects: row.pendingEffects.map(({ origin: _, ...effects }) => ({ ...effects, lines: [] })),
  };

/** The row without its version, because a row that comes to rest gets another one. */
const content = (row: WorkflowRow | undefined) => {
  const { version: _, ...rest } = shown(row) ?? { version: 0 };
  return rest;
};

/** A row rests after a step, and is activated for the next. */
const MOST_TRIES = 4;

const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
};

/** Takes a step of a row that nothing else changes, unless it has ended: no step follows then. */
async function stepOf(live: LiveRows<WorkflowRow>, row: WorkflowRow, take: (row: WorkflowRow) => WorkflowRow) {
  if (!isActive(row.status)) return row;
  let before = row;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const next = take(before);
    if ((await live.save([{ before, row: next }]))[0]) return next;
    before = (await live.get(row.id)) as WorkflowRow;
    if (before.version === row.version) break;
  }
  throw new Error(`a step on version ${before.version} of ${row.id} was not saved`);
}

/** @param open returns the adapter of one of several processes on the same server */
export function liveConformance(test: TestFn, open: (process: 0 | 1) => LiveRows<WorkflowRow>): void {
  test('each saved step of a workflow is what every process reads', async (t) => {
    const [ours, theirs] = [open(0), open(1)];
    const moves = fc.array(fc.record({ pick: fc.nat(3), isGood: fc.boolean() }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(moves, async (taken) => {
        let row = newRow();
        t.deepEqual(await ours.insert([row]), [true]);
        for (const { pick, isGood } of taken) {
          row = await stepOf(ours, row, (before) => stepped(before, pick, isGood));
          t.deepEqual(content(await theirs.get(row.id)), content(row));
          // The next step starts from the row that was read.
          row = await stepOf(theirs, (await theirs.get(row.id)) as WorkflowRow, (before) => stepped(before));
        }
        t.deepEqual((await ours.getAll([row.id, 'unknown'])).map(content), [content(row)]);
      }),
      { numRuns: 40 },
    );
  });

  test('a row is inserted once, and of the steps that are taken from one version one is saved', async (t) => {
    const [ours, theirs] = [open(0), open(1)];
    const row = newRow();
    const inserted = await Promise.all([ours, theirs, ours].map((live) => live.insert([row])));
    t.is(inserted.flat().filter(Boolean).length, 1);
    t.deepEqual(await theirs.insertOnce([{ ...row, status: 'failed' }]), [false]);
    const tries = Array.from({ length: 10 }, (_, n) => stepped(row, 0, n % 2 === 0));
    const saved = await Promise.all(tries.map((next, n) => (n % 3 ? ours : theirs).save([{ before: row, row: next }])));
    t.is(saved.flat().filter(Boolean).length, 1);
    t.deepEqual(shown(await ours.get(row.id)), shown(tries[saved.findIndex(([won]) => won === true)]));
    t.deepEqual(await ours.save([{ before: newRow(), row: newRow() }]), [false]);
  });

  test('a reader with a filter sees every answered write', async (t) => {
    const [ours, theirs] = [open(0), open(1)];
    const node = randomUUID();
    const rows = Array.from({ length: 7 }, (_, n) => newRow(node, new Date(1e12 + n).toISOString()));
    await ours.insert(rows);
    const ids = rows.map(({ id }) => id);
    const find = async (filter: object, options: object) =>
      (await theirs.view.find({ node, ...filter }, { sort: { createdAt: 1 }, ...options })).map(({ id }) => id);
    t.deepEqual(await find({}, {}), ids);
    t.deepEqual(await find({ status: 'running' }, { skip: 2, limit: 3 }), ids.slice(2, 5));
    const [first, second] = rows as [WorkflowRow, WorkflowRow];
    const ended: WorkflowRow = { ...first, version: first.version + 1, status: 'failed', finishedAt: first.createdAt };
    await ours.save([{ before: first, row: ended }]);
    t.deepEqual(await find({ status: 'failed' }, {}), [first.id]);
    t.is(await theirs.view.count({ node, status: 'running' }), 6);
    await ours.save([{ before: second, row: stepped(second) }]);
    const [fresh] = await theirs.view.find({ id: second.id });
    t.is(fresh?.version, second.version + 1, 'also a step that changes none of the fields that filters use');
    t.deepEqual(
      await theirs.view.pick(['status'], { node }, { sort: { createdAt: -1 }, skip: 5, limit: 2 }),
      [second, first].map(({ id }) => ({ id, status: id === first.id ? 'failed' : 'running' })),
    );
    const last = await theirs.view.lastOf(['node', 'status'], 'node', [node, 'none'], 6);
    t.deepEqual(
      last.map(({ id, status }) => [id, status]),
      rows
        .toReversed()
        .slice(0, 6)
        .map(({ id }) => [id, 'running']),
    );
    await theirs.remove(first.id);
    t.is(await ours.get(first.id), undefined);
    t.is(await ours.view.count({ node }), 6);
  });

  test('rows that need a process are found when they were not saved for a while, and rows with timers by their time', async (t) => {
    const live = open(0);
    const [busy, idle] = [newRow(), newRow()];
    const waiting: WorkflowRow = { ...newRow(), timerAt: 5_000_000_000_000 };
    await live.insert([busy, idle, waiting]);
    const tidied: WorkflowRow = { ...idle, version: idle.version + 1, pendingEffects: [], pending: false };
    await live.save([{ before: idle, row: tidied }]);
    const left = new Set((await all(live.leftRows(0))).map(({ id }) => id));
    t.deepEqual([left.has(busy.id), left.has(idle.id)], [true, false]);
    t.deepEqual(await all(live.leftRows(3_600_000)), []);
    const due = async (at: number) => (await all(live.dueRows(at))).some(({ id }) => id === waiting.id);
    t.deepEqual([await due(4_999_999_999_999), await due(5_000_000_000_000)], [false, true]);
  });
}
