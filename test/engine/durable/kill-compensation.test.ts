/** kill -9 during retries and compensations: another engine continues them, and nothing is done twice that must not be. */
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { isActive } from '../../../engine/vocabulary/states.ts';
import { MINUTE_MS } from '../../../engine/vocabulary/units.ts';
import { type Asked, COMPENSATE_GRAPH, compensateOptions as options } from '../../support/data/compensate-options.ts';
import { heir, Victim, written } from '../../support/faults/victim.ts';
import { shared } from '../../support/servers/shared-resources.ts';

/** Kills at random moments. */
const LIVES = 2;

/** Long enough to find the line and to kill the process. */
const SHORT_MS = 3_000;

/** An engine that continues after a kill which hit each of some workflows at another moment. */
const afterKill = shared(async (file) => {
  const victim = await Victim.start();
  const launched = (asked: Asked) => victim.launch(COMPENSATE_GRAPH, options(victim.dataDir, asked));
  const once = await launched({ tag: 'once', ms: { 'compensate-second': MINUTE_MS } });
  const cancelled = await launched({ tag: 'cancel', ms: { second: MINUTE_MS } });
  await written(victim, 'once second undone');
  await written(victim, 'cancel second');
  const again = await launched({ tag: 'again', ms: { 'compensate-first': SHORT_MS } });
  await written(victim, 'again first undone');
  const resting = await launched({ tag: 'rest', failures: 9 });
  await written(victim, 'rest third');
  await victim.ask({ cancel: cancelled });
  await victim.kill();
  const it = await heir(file, victim);
  return {
    once,
    cancelled,
    again,
    resting,
    /** Returns a workflow when it has ended, and its lines. */
    async ended(id: string, tag: string) {
      const row = await it.finished(id);
      const own = (await it.lines('ledger')).filter((line) => line.startsWith(`${tag} `));
      return { row, lines: own.map((line) => line.slice(tag.length + 1)) };
    },
  };
});

const undone = ['third undone', 'second undone', 'first undone'];

test.serial('a run in its back-off continues with the attempts that it has left', async (t) => {
  const { ended, resting } = await afterKill();
  const { row, lines } = await ended(resting, 'rest');
  t.is(row.status, 'failed');
  t.like(
    row.tasks.find(({ label }) => label === 'third'),
    { state: 'failed', attempts: 3, maxAttempts: 3 },
  );
  // The kill may have hit the first attempt, which is idempotent, before its end was saved.
  const attempts = lines.filter((line) => line === 'third').length;
  t.true(attempts === 3 || attempts === 4, `${attempts} attempts`);
  t.deepEqual(lines.slice(-3), undone);
});

test.serial('an interrupted idempotent compensation runs again, then the others', async (t) => {
  const { ended, again } = await afterKill();
  const { row, lines } = await ended(again, 'again');
  t.is(row.status, 'failed');
  t.is(row.error?.code, 'X_FIXTURE_BROKE');
  t.false('compensations' in (row.error as object));
  t.deepEqual(lines.slice(3), [...undone, 'first undone']);
});

test.serial('an interrupted once compensation is not done twice: it is listed, and the others run', async (t) => {
  const { ended, once } = await afterKill();
  const { row, lines } = await ended(once, 'once');
  t.is(row.status, 'failed');
  t.is(row.error?.code, 'X_FIXTURE_BROKE', 'the cause is kept');
  t.deepEqual(
    row.error?.compensations?.map(({ label, code }) => [label, code]),
    [['compensate-second', 'TASK_INTERRUPTED']],
  );
  t.deepEqual(lines.slice(3), undone);
});

test.serial('a cancel that was answered before the kill undoes the runs afterwards', async (t) => {
  const { ended, cancelled } = await afterKill();
  const { row, lines } = await ended(cancelled, 'cancel');
  t.is(row.status, 'cancelled');
  t.deepEqual(lines, ['first', 'second', 'first undone']);
});

test.serial(
  'after kills at random moments, each workflow has undone what it did, and no once run or compensation ran twice',
  async (t) => {
    let victim = await Victim.start();
    const { dataDir } = victim;
    const ids = new Map<string, string>();
    for (let life = 0; life < LIVES; life += 1) {
      for (let n = 0; n < 4; n += 1) {
        const tag = `${life}.${n}`;
        const asked = { tag, failures: n % 2 === 0 ? 0 : 1 };
        ids.set(tag, await victim.launch(COMPENSATE_GRAPH, options(dataDir, asked)));
      }
      await setTimeout(Math.random() * 700);
      await victim.kill();
      if (life < LIVES - 1) victim = await Victim.start(dataDir);
    }
    const it = await heir(t, victim);
    for (const [tag, id] of ids) {
      const row = await it.finished(id);
      t.false(isActive(row.status));
      const lines = (await it.lines('ledger')).filter((line) => line.startsWith(`${tag} `));
      const times = (text: string) => lines.filter((line) => line === `${tag} ${text}`).length;
      t.true(times('second') <= 1 && times('second undone') <= 1, lines.join());
      const lost = row.error?.compensations ?? [];
      t.true(lost.every(({ code }) => code === 'TASK_INTERRUPTED'));
      for (const entry of row.tasks.filter(({ compensates }) => compensates === undefined)) {
        if (entry.state === 'succeeded' && entry.label !== 'last')
          t.true(times(`${entry.label} undone`) >= (lost.length > 0 ? 0 : 1), tag);
      }
      const order = lines.filter((line) => line.endsWith('undone')).map((line) => line.split(' ')[1] as string);
      const rank = order.map((label) => ['third', 'second', 'first'].indexOf(label));
      t.deepEqual(rank, [...rank].sort(), 'the latest run is undone first');
    }
  },
);
