/** The counts of the summary: exact for the changes of this process, and late by a bounded time for those of others. */
import test from 'ava';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { type CountLimits, WorkflowCounts } from '../../../../engine/workflows/diagnosis/workflow-counts.ts';
import { openEngine } from '../../../support/engine/engine.ts';

type CountedRow = Pick<WorkflowRow, 'status' | 'graphName'>;

const GRAPH = 'Graph.Counted';
const running: CountedRow = { status: 'running', graphName: GRAPH };
const succeeded: CountedRow = { status: 'succeeded', graphName: GRAPH };

/** A store, and processes that count in it. */
function counted(rows: CountedRow[]) {
  const store = {
    calls: [] as object[],
    async count(filter: object): Promise<number> {
      this.calls.push(filter);
      return rows.filter((row) => Object.entries(filter).every(([key, value]) => Reflect.get(row, key) === value))
        .length;
    },
  };
  return { store, opened: (limits: CountLimits, now?: () => number) => new WorkflowCounts(store, limits, now) };
}

const forever: CountLimits = { durations: Number.POSITIVE_INFINITY, maxAgeMs: Number.POSITIVE_INFINITY };

test('launches, ends and removals of the process are in the next answer, without another count of what has ended', async (t) => {
  const rows = [succeeded, succeeded];
  const { store, opened } = counted(rows);
  const counts = opened(forever);
  t.like(await counts.read([GRAPH]), { byStatus: { running: 0, succeeded: 2 }, byGraph: { [GRAPH]: 2 } });
  store.calls.length = 0;
  rows.push(running);
  counts.noteStep(running, undefined);
  t.like(await counts.read([GRAPH]), { byStatus: { running: 1, succeeded: 2 }, byGraph: { [GRAPH]: 3 } });
  rows[2] = succeeded;
  counts.noteStep(running, running);
  counts.noteStep(succeeded, running);
  t.like(await counts.read([GRAPH]), { byStatus: { running: 0, succeeded: 3 }, byGraph: { [GRAPH]: 3 } });
  rows.length = 0;
  for (const _ of [1, 2, 3]) counts.noteRemoval(succeeded);
  t.deepEqual(await counts.read([GRAPH]), {
    byStatus: { pending: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 },
    byGraph: {},
  });
  t.deepEqual(
    store.calls,
    Array(3)
      .fill([{ status: 'pending' }, { status: 'running' }])
      .flat(),
  );
});

test('what other processes have changed is in the next count, and a process that starts counts', async (t) => {
  const rows: CountedRow[] = [];
  const { opened } = counted(rows);
  const [counts, late] = [opened({ durations: 0, maxAgeMs: 0 }), opened(forever)];
  await Promise.all([counts.read([GRAPH]), late.read([GRAPH])]);
  rows.push(succeeded);
  t.like(await counts.read([GRAPH]), { byStatus: { succeeded: 1 }, byGraph: { [GRAPH]: 1 } });
  t.like(await late.read([GRAPH]), { byStatus: { succeeded: 0 }, byGraph: {} });
  t.like(await opened(forever).read([GRAPH]), { byStatus: { succeeded: 1 } });
});

test('a count during which a workflow ends is counted again sooner', async (t) => {
  const { store, opened } = counted([succeeded]);
  let now = 0;
  const counts = opened({ durations: Number.POSITIVE_INFINITY, maxAgeMs: 40_000 }, () => now);
  const recountsAt = async (ms: number) => {
    now = ms;
    store.calls.length = 0;
    await counts.read([]);
    return store.calls.some((filter) => Reflect.get(filter, 'status') === 'succeeded');
  };
  const first = counts.read([]);
  counts.noteStep(succeeded, running);
  await first;
  t.deepEqual([await recountsAt(9_999), await recountsAt(10_000)], [false, true]);
  t.deepEqual([await recountsAt(49_999), await recountsAt(50_000)], [false, true], 'nothing changed during the second');
});

test('concurrent requests share a count, and a graph that is new is counted alone', async (t) => {
  const { store, opened } = counted([succeeded]);
  const counts = opened(forever);
  await Promise.all([counts.read([]), counts.read([])]);
  t.is(store.calls.filter((filter) => Reflect.get(filter, 'status') === 'succeeded').length, 1);
  store.calls.length = 0;
  t.like(await counts.read([GRAPH]), { byGraph: { [GRAPH]: 1 } });
  t.deepEqual(store.calls, [{ graphName: GRAPH }, { status: 'pending' }, { status: 'running' }]);
});

test('the summary of a daemon has each launch, end and removal in its next answer, and the same after a restart', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const summary = async () => (await it.engine.diagnosis.summary()).workflows;
  t.like(await summary(), { byStatus: { running: 0, succeeded: 0 }, byGraph: {} });
  const { id } = await it.launch('Graph.noop-example');
  await it.finished(id);
  const waiting = await it.launch('Graph.Demo.InstallOs');
  const expected = {
    byStatus: { pending: 0, running: 1, succeeded: 1, failed: 0, cancelled: 0 },
    byGraph: { 'Graph.noop-example': 1, 'Graph.Demo.InstallOs': 1 },
  };
  t.like(await summary(), expected);
  await it.engine.close();
  await it.open();
  t.like(await summary(), expected);
  await it.engine.control.cancel(waiting.id);
  await it.finished(waiting.id);
  await it.engine.control.remove(id);
  t.like(await summary(), {
    byStatus: { pending: 0, running: 0, succeeded: 0, failed: 0, cancelled: 1 },
    byGraph: { 'Graph.Demo.InstallOs': 1 },
  });
});
