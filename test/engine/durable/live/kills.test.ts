/** The server is killed (SIGKILL) again and again while two processes take steps of the same rows at full speed. */
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { LiveRows } from '../../../../engine/durable/live/port.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import type { RedisDurability } from '../../../../engine/platform/redis/redis-durability.ts';
import { newRow, shown } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { openConnections, openLive } from '../../../support/engine/live.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { noRedis, startRedis } from '../../../support/servers/redis.ts';

const redis = needing(noRedis);
const ROWS = 40;
const KILLS = 3;
const RUN_MS = 500;

/** A row that both processes race for. */
interface Contested {
  /** As last saved, as far as an answer said so. */
  row: WorkflowRow;
  /** Whether the outcome of the last race is unknown, and with which rows. */
  open: WorkflowRow[];
}

const tryOf = (row: WorkflowRow, by: string): WorkflowRow => ({
  ...row,
  version: row.version + 1,
  options: { by, after: row.version, text: by.repeat(1_000) },
});

/**
 * Races for the row until `over` is aborted, or an answer is missing.
 * @param mayLose whether the server may lose the step of the first winner, when it is killed, before the second one saves
 * @returns the number of races that were answered
 */
async function race(
  t: ExecutionContext,
  lives: readonly LiveRows<WorkflowRow>[],
  contested: Contested,
  { over, killed, mayLose }: { over: AbortSignal; killed: AbortSignal; mayLose: boolean },
): Promise<number> {
  let races = 0;
  for (; !over.aborted; races += 1) {
    const before = contested.row;
    const wasKilled = killed.aborted;
    contested.open = lives.map((_, process) => tryOf(before, `process ${process}`));
    const answers = await Promise.allSettled(
      lives.map((live, process) => live.save([{ before, row: contested.open[process] as WorkflowRow }])),
    );
    const won = answers.flatMap((answer, process) =>
      answer.status === 'fulfilled' && answer.value[0] ? [process] : [],
    );
    if (mayLose && won.length > 1 && killed.aborted && !wasKilled) return races;
    t.true(won.length <= 1, 'a race has one winner');
    const [winner] = won;
    if (winner === undefined) {
      t.true(
        answers.some(({ status }) => status === 'rejected'),
        'no race ends without a winner and without an error',
      );
      return races;
    }
    contested.row = contested.open[winner] as WorkflowRow;
    if (answers.some(({ status }) => status === 'rejected')) return races;
  }
  return races;
}

/** Returns the row after the kill: the saved one, or one of a race without an answer. */
async function found(t: ExecutionContext, live: LiveRows<WorkflowRow>, { row, open }: Contested) {
  const now = await live.get(row.id);
  const may = [row, ...open].map(shown).find((each) => each?.version === now?.version && sameBy(each, now));
  if ((now?.version ?? 0) >= row.version) t.deepEqual(shown(now), may);
  return now;
}

const sameBy = (one: WorkflowRow | undefined, other: WorkflowRow | undefined): boolean =>
  one?.options.by === other?.options.by;

async function answers(live: LiveRows<WorkflowRow>): Promise<void> {
  for (const until = Date.now() + WAIT_MS; ; await setTimeout(20)) {
    const error = await live.get('none').then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return;
    if (Date.now() > until) throw error;
  }
}

/** @returns answered races, and rows that fell behind an answer */
async function survive(t: ExecutionContext, appendfsync: RedisDurability) {
  const server = await startRedis('--appendfsync', appendfsync);
  t.teardown(() => server.stop());
  const store = new MemoryStore();
  const states = [];
  for (const _ of [0, 1]) {
    states.push(await openLive(t, await openConnections(t, server.url, appendfsync), store));
  }
  const [one, two] = states.map(({ workflows }) => workflows) as [LiveRows<WorkflowRow>, LiveRows<WorkflowRow>];
  const rows: Contested[] = Array.from({ length: ROWS }, () => ({ row: newRow(), open: [] }));
  t.true((await one.insert(rows.map(({ row }) => row))).every(Boolean));
  let [races, lost] = [0, 0];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const [over, killed] = [new AbortController(), new AbortController()];
    const signals = { over: over.signal, killed: killed.signal, mayLose: appendfsync === 'everysec' };
    const racing = rows.map((contested) => race(t, [one, two], contested, signals));
    await setTimeout(RUN_MS);
    killed.abort();
    await server.kill();
    await server.start();
    over.abort();
    for (const count of await Promise.all(racing)) races += count;
    for (const live of [one, two]) await answers(live);
    for (const contested of rows) {
      const now = await found(t, two, contested);
      if (now === undefined || now.version < contested.row.version) lost += 1;
      if (now !== undefined) contested.row = now;
    }
  }
  t.log(`${KILLS} kills, ${races} answered races, ${lost} rows behind an answer`);
  t.true(races > ROWS, `${races} races`);
  return lost;
}

for (const appendfsync of ['always', 'no'] as const) {
  redis.serial(`no answered step is lost when Redis is killed, with appendfsync ${appendfsync}`, async (t) => {
    t.is(await survive(t, appendfsync), 0);
  });
}

// While a sync of the file takes long, Redis answers before it writes, for up to two seconds: a kill may lose steps here.
redis.serial('rows stay whole when Redis is killed, with appendfsync everysec', async (t) => {
  await survive(t, 'everysec');
});
