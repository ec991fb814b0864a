/** kill -9 at any moment: the engine dies in a child process, and another engine continues its work. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { isActive } from '../../../engine/vocabulary/states.ts';
import { heir, Victim, written } from '../../support/faults/victim.ts';
import { shared } from '../../support/servers/shared-resources.ts';

/** Tasks one after the other, each with its line in the ledger. */
const chain = (injectableName: string, taskName: string, count: number, ledger: string, ms: number) => ({
  friendlyName: 'Chain',
  injectableName,
  tasks: Array.from({ length: count }, (_, n) => ({
    label: `t${n}`,
    taskName,
    optionOverrides: { ledger, line: `{{ options.tag }} t${n}`, ms, tag: 'x' },
    ...(n === 0 ? {} : { waitOn: { [`t${n - 1}`]: 'succeeded' } }),
  })),
});

const [AGAIN, ONCE, PROBED] = ['Graph.Test.Again', 'Graph.Test.Once', 'Graph.Test.Probed'];
/** Longer than it takes to find a line of the ledger and to kill the process, also on a busy machine. */
const ACT_MS = 2_000;
const NAP_MS = 1_500;
/** Kills at random moments. */
const LIVES = 3;

/** An engine that continues after a kill which hit each of some workflows in its own way. */
const afterKill = shared(async (file) => {
  const victim = await Victim.start();
  const ledger = join(victim.dataDir, 'ledger');
  const graphs = [
    chain(AGAIN, 'Task.Fixture.Write', 3, ledger, ACT_MS),
    chain(ONCE, 'Task.Fixture.WriteOnce', 2, ledger, 60_000),
    chain(PROBED, 'Task.Fixture.WriteProbed', 1, ledger, 60_000),
  ];
  await victim.ask({ graphs });
  const tagged = (name: string, tag: string) => victim.launch(name, { defaults: { tag } });
  const [again, once, probed] = [await tagged(AGAIN, 'a'), await tagged(ONCE, 'b'), await tagged(PROBED, 'c')];
  const waiting = await victim.launch('Graph.Demo.InstallOs', {}, null);
  await victim.ask({ notify: { parameters: { n: 1 }, nodeId: waiting } });
  for (const line of ['b t0', 'c t0', 'a t1']) await written(victim, line);
  const timed = await victim.launch('Graph.Fixture.Plain', { nap: { duration: NAP_MS } });
  await victim.kill();
  const it = await heir(file, victim);
  const linesOf = async (tag: string) => (await it.lines('ledger')).filter((line) => line.startsWith(tag));
  return { it, linesOf, again, once, probed, waiting, timed };
});

test.serial('an interrupted idempotent activity is run again, and the workflow continues to its end', async (t) => {
  const { it, linesOf, again } = await afterKill();
  t.is((await it.finished(again)).status, 'succeeded');
  t.deepEqual(await linesOf('a'), ['a t0', 'a t1', 'a t1', 'a t2']);
});

test.serial('an interrupted once activity fails as interrupted, and is not run again', async (t) => {
  const { it, linesOf, once } = await afterKill();
  const row = await it.finished(once);
  t.is(row.status, 'failed');
  t.is(row.tasks[0]?.error?.code, 'TASK_INTERRUPTED');
  t.deepEqual(await linesOf('b'), ['b t0']);
});

test.serial('an interrupted once activity with a probe ends with the result of the probe', async (t) => {
  const { it, linesOf, probed } = await afterKill();
  const row = await it.finished(probed);
  t.is(row.status, 'succeeded');
  t.deepEqual(row.tasks[0]?.output, { line: 'c t0', probed: true });
  t.deepEqual(await linesOf('c'), ['c t0']);
});

test.serial('a timer that came due while no process ran fires at the next start', async (t) => {
  const { it, timed } = await afterKill();
  const row = await it.finished(timed);
  t.is(row.status, 'succeeded');
  t.true(Date.parse(row.tasks[0]?.finishedAt as string) - Date.parse(row.tasks[0]?.startedAt as string) >= NAP_MS);
});

test.serial('a wait survives the kill, and so does a notification that was acknowledged before it', async (t) => {
  const { it, waiting } = await afterKill();
  const row = await it.reached(waiting, 'wait-os-booted', 'waiting');
  t.deepEqual(row.tasks[0]?.output, { n: 1 });
  await it.engine.notifications.notify({ n: 2 }, waiting);
  t.is((await it.finished(waiting)).status, 'succeeded');
});

test.serial('every workflow ends after kills at random moments, and no once activity runs twice', async (t) => {
  let victim = await Victim.start();
  const { dataDir } = victim;
  const ledger = join(dataDir, 'ledger');
  const graphs = [
    chain(AGAIN, 'Task.Fixture.Write', 4, ledger, 20),
    chain(ONCE, 'Task.Fixture.WriteOnce', 4, ledger, 20),
  ];
  await victim.ask({ graphs });
  const ids: string[] = [];
  for (let life = 0; life < LIVES; life += 1) {
    for (let n = 0; n < 6; n += 1) {
      const tag = `${life}.${n}`;
      const name = n % 2 === 0 ? AGAIN : ONCE;
      ids.push(await victim.launch(name, { defaults: { tag: `${n % 2 === 0 ? 'again' : 'once'} ${tag}` } }));
    }
    await setTimeout(Math.random() * 300);
    await victim.kill();
    if (life < LIVES - 1) victim = await Victim.start(dataDir);
  }
  const it = await heir(t, victim);
  for (const id of ids) {
    const row = await it.finished(id);
    t.false(isActive(row.status));
    const codes = row.tasks.flatMap(({ error }) => (error === null ? [] : [error.code]));
    const allowed = row.graphName === ONCE ? ['TASK_INTERRUPTED', 'TASK_CANCELLED'] : [];
    t.true(
      codes.every((code) => allowed.includes(code)),
      codes.join(),
    );
  }
  const lines = (await it.lines('ledger')).filter((line) => line.startsWith('once'));
  t.is(new Set(lines).size, lines.length);
});
