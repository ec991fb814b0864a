import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { newRow, stepped } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { type Restless, restIdle, restless, startProcesses } from '../../../support/engine/live.ts';
import { noRedis } from '../../../support/servers/redis.ts';
import { shared } from '../../../support/servers/shared-resources.ts';

const redis = needing(noRedis);
const processesOf = shared(startProcesses);

const isOver = ({ status }: WorkflowRow) => status === 'succeeded' || status === 'failed';

type Process = 'one' | 'two';

/** Takes steps until the workflow has ended. @param process of each step, by the number of steps before */
async function run(live: Restless, start: WorkflowRow, process: (steps: number) => Process): Promise<WorkflowRow> {
  let row = start;
  for (let steps = 0; !isOver(row); steps += 1) {
    const next = stepped(row);
    const saved = await live[process(steps)].save([{ before: row, row: next }]);
    if (saved[0] !== true) throw new Error(`step ${steps} was not saved: ${saved[0]}`);
    row = next;
  }
  return row;
}

const settled = (row: WorkflowRow): WorkflowRow => ({
  ...row,
  version: row.version + 1,
  pendingEffects: [],
  pending: false,
});

/** The numbers of the last lines of the steps, and their versions. */
async function historyOf({ history }: Restless, { id }: WorkflowRow) {
  const steps = await history.after(id, 0, 1_000);
  let last = 0;
  for (const step of steps) last = step.last - step.lines.length === last ? step.last : Number.NaN;
  return { last, versions: steps.map(({ version }) => version) };
}

const linesIn = async ({ record }: Restless, { id }: WorkflowRow) =>
  (await record.find({ id }, { apart: true }))[0]?.lines;

for (const [title, process] of [
  ['of this process', () => 'one'],
  ['of two processes', (steps: number) => (steps % 2 === 0 ? 'one' : 'two')],
  ['that another process began', () => 'two'],
] satisfies [string, (steps: number) => Process][]) {
  redis.serial(`the history of a workflow ${title} is in its document when it has ended, and read once`, async (t) => {
    const live = await restless(`lines ${title}`, (await processesOf()).connections);
    const first = newRow();
    await live.one.insert([first]);
    const before = await run(live, first, process);
    const moving = await historyOf(live, before);
    t.is(moving.last, before.counts.history);
    t.deepEqual(await live.one.settle([{ before, row: settled(before) }]), [true]);
    t.truthy(await linesIn(live, before));
    t.deepEqual(await historyOf(live, before), moving);
    t.false('lines' in ((await live.record.get(before.id)) ?? {}));
    await live.two.remove(before.id);
    t.is(await linesIn(live, before), undefined);
  });
}

redis.serial('a workflow that rested, took steps, rested and ended has all of its history once', async (t) => {
  const live = await restless('lines rested', (await processesOf()).connections);
  let row: WorkflowRow = { ...newRow(), pending: false };
  await live.one.insert([row]);
  for (const process of ['one', 'two'] as const) {
    await restIdle(live[process]);
    t.is((await live.record.get(row.id))?.phase, 'resting');
    const found = (await live.one.get(row.id)) as WorkflowRow;
    row = { ...stepped(found), pending: false };
    t.deepEqual(await live.one.save([{ before: found, row }]), [true], 'it moves again');
  }
  const before = await run(live, row, () => 'one');
  t.deepEqual(await live.one.settle([{ before, row: settled(before) }]), [true]);
  const { last, versions } = await historyOf(live, before);
  t.is(last, before.counts.history);
  t.is(new Set(versions).size, versions.length);
});

redis.serial('a long list is a document of its own', async (t) => {
  const live = await restless('lines long', (await processesOf()).connections);
  const first = newRow();
  await live.one.insert([first]);
  const before = await run(live, first, () => 'one');
  const [last] = before.pendingEffects.slice(-1);
  const lines = [{ ...last?.lines[0], to: 'x'.repeat(300_000) }] as NonNullable<typeof last>['lines'];
  const history = before.counts.history + 1;
  const version = before.version + 1;
  const long: WorkflowRow = {
    ...before,
    version,
    counts: { ...before.counts, history },
    pendingEffects: [{ ...last, version, last: history, lines } as NonNullable<typeof last>],
  };
  t.deepEqual(await live.one.save([{ before, row: long }]), [true]);
  t.deepEqual(await live.one.settle([{ before: long, row: settled(long) }]), [true]);
  t.is(await linesIn(live, long), undefined);
  t.is((await historyOf(live, long)).last, history);
});
