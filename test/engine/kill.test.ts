/** kill -9 at any moment: the engine dies in a child process, and another engine continues its work. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { isActive } from '../../engine/define/states.ts';
import { heir, Victim, written } from '../support/victim.ts';

/** Tasks one after the other, each with its line in the ledger. */
const chain = (taskName: string, count: number, ledger: string, ms: number) => ({
  friendlyName: 'Chain',
  injectableName: 'Graph.Test.Chain',
  tasks: Array.from({ length: count }, (_, n) => ({
    label: `t${n}`,
    taskName,
    optionOverrides: { ledger, line: `{{ options.tag }} t${n}`, ms, tag: 'x' },
    ...(n === 0 ? {} : { waitOn: { [`t${n - 1}`]: 'succeeded' } }),
  })),
});

test.serial('an interrupted idempotent activity is run again, and the workflow continues to its end', async (t) => {
  const victim = await Victim.start();
  await victim.ask({ graphs: [chain('Task.Fixture.Write', 3, join(victim.dataDir, 'ledger'), 300)] });
  const id = await victim.launch('Graph.Test.Chain', { defaults: { tag: 'a' } });
  await written(victim, 'a t1');
  await victim.kill();
  const it = await heir(t, victim);
  t.is((await it.finished(id)).status, 'succeeded');
  t.deepEqual(await it.lines('ledger'), ['a t0', 'a t1', 'a t1', 'a t2']);
});

test.serial('an interrupted once activity fails as interrupted, and is not run again', async (t) => {
  const victim = await Victim.start();
  await victim.ask({ graphs: [chain('Task.Fixture.WriteOnce', 2, join(victim.dataDir, 'ledger'), 10_000)] });
  const id = await victim.launch('Graph.Test.Chain', {});
  await written(victim, 'x t0');
  await victim.kill();
  const it = await heir(t, victim);
  const row = await it.finished(id);
  t.is(row.status, 'failed');
  t.is(row.tasks[0]?.error?.code, 'TASK_INTERRUPTED');
  t.deepEqual(await it.lines('ledger'), ['x t0']);
});

test.serial('an interrupted once activity with a probe ends with the result of the probe', async (t) => {
  const victim = await Victim.start();
  await victim.ask({ graphs: [chain('Task.Fixture.WriteProbed', 1, join(victim.dataDir, 'ledger'), 10_000)] });
  const id = await victim.launch('Graph.Test.Chain', {});
  await written(victim, 'x t0');
  await victim.kill();
  const it = await heir(t, victim);
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  t.deepEqual(row.tasks[0]?.output, { line: 'x t0', probed: true });
  t.deepEqual(await it.lines('ledger'), ['x t0']);
});

test.serial('a timer that came due while no process ran fires at the next start', async (t) => {
  const victim = await Victim.start();
  const id = await victim.launch('Graph.Fixture.Plain', { nap: { duration: 1_500 } });
  await victim.kill();
  const it = await heir(t, victim);
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  t.true(Date.parse(row.tasks[0]?.finishedAt as string) - Date.parse(row.tasks[0]?.startedAt as string) >= 1_500);
});

test.serial('a wait survives the kill, and so does a notification that was acknowledged before it', async (t) => {
  const victim = await Victim.start();
  const id = await victim.launch('Graph.Demo.InstallOs', {}, null);
  await victim.ask({ notify: { parameters: { n: 1 }, nodeId: id } });
  await victim.kill();
  const it = await heir(t, victim);
  const row = await it.reached(id, 'wait-os-booted', 'waiting');
  t.deepEqual(row.tasks[0]?.output, { n: 1 });
  await it.engine.notifications.notify({ n: 2 }, id);
  t.is((await it.finished(id)).status, 'succeeded');
});

test.serial('every workflow ends after kills at random moments, and no once activity runs twice', async (t) => {
  t.timeout(240_000);
  let victim = await Victim.start();
  const { dataDir } = victim;
  const ledger = join(dataDir, 'ledger');
  const idempotent = { ...chain('Task.Fixture.Write', 4, ledger, 20), injectableName: 'Graph.Test.Again' };
  const once_ = { ...chain('Task.Fixture.WriteOnce', 4, ledger, 20), injectableName: 'Graph.Test.Once' };
  await victim.ask({ graphs: [idempotent, once_] });
  const ids: string[] = [];
  for (let life = 0; life < 5; life += 1) {
    for (let n = 0; n < 6; n += 1) {
      const tag = `${life}.${n}`;
      const name = n % 2 === 0 ? 'Graph.Test.Again' : 'Graph.Test.Once';
      ids.push(await victim.launch(name, { defaults: { tag: `${n % 2 === 0 ? 'again' : 'once'} ${tag}` } }));
    }
    await setTimeout(Math.random() * 300);
    await victim.kill();
    if (life < 4) victim = await Victim.start(dataDir);
  }
  const it = await heir(t, victim);
  for (const id of ids) {
    const row = await it.finished(id);
    t.false(isActive(row.status));
    const codes = row.tasks.flatMap(({ error }) => (error === null ? [] : [error.code]));
    const allowed = row.graphName === 'Graph.Test.Once' ? ['TASK_INTERRUPTED', 'TASK_CANCELLED'] : [];
    t.true(
      codes.every((code) => allowed.includes(code)),
      codes.join(),
    );
  }
  const lines = (await it.lines('ledger')).filter((line) => line.startsWith('once'));
  t.is(new Set(lines).size, lines.length);
});
