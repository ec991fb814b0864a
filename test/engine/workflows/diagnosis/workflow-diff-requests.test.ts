/** Two workflows of one graph are compared: the first label that ended otherwise, and what else was different. */
import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { openEngine } from '../../../support/engine/engine.ts';

const THREE_TASKS = 'Graph.Diff.Three';

test('the diff names the first label whose end differs, and the options, catalogs and firmware that differ', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const labels = ['first', 'second', 'third'];
  const tasks = labels.map((label, place) => ({
    label,
    taskName: 'Task.Fixture.Flaky',
    optionOverrides: { ledger: it.path(label), line: 'x', failures: 0 },
    ...(place > 0 && { waitOn: { [labels[place - 1] ?? '']: 'succeeded' } }),
  }));
  await it.engine.library.putGraph({ friendlyName: 'Three', injectableName: THREE_TASKS, tasks });
  const node = await it.node();
  const dmi = (version: string) => ({ 'BIOS Information': { Version: version }, 'System Information': { UUID: 'u' } });
  const run = async (version: string, options: object) => {
    await it.engine.catalogs.add(node.id, 'dmi', dmi(version));
    const { id } = await it.launch(THREE_TASKS, { second: options }, node.id);
    const finished = await it.finished(id);
    // A catalog of the same millisecond would be one of this workflow.
    while (Date.now() <= Date.parse(finished.finishedAt ?? '')) await pause(1);
    return finished;
  };
  const a = await run('2.12', { password: 'secret-a' });
  const b = await run('2.19', { failures: 99, password: 'secret-b' });
  const diff = await it.engine.diagnosis.diff(a.id, b.id);
  t.like(diff.first, { label: 'second', a: 'succeeded', b: `failed ${b.error?.code}` });
  const history = await it.engine.workflows.history(a.id, { skip: diff.first?.seq ?? -1, limit: 1, filter: {} });
  t.like(history.items[0], { label: 'second', to: 'succeeded' });
  t.deepEqual(diff.options, [{ path: 'options.second.failures', a: null, b: 99 }], 'secrets are hidden');
  t.deepEqual(diff.firmware, [{ path: 'dmi.BIOS Information.Version', a: '2.12', b: '2.19' }]);
  t.deepEqual(diff.catalogs, diff.firmware);
  t.like(diff, { definition: null, node: [] });
  t.deepEqual(
    diff.timings.map(({ label, aMs, bMs }) => [label, aMs !== null, bMs !== null]),
    [
      ['first', true, true],
      ['second', true, true],
      ['third', true, false],
    ],
  );
  t.is((await it.engine.diagnosis.diff(a.id, a.id)).first, null);
  const other = await it.launch('Graph.noop-example');
  await t.throwsAsync(() => it.engine.diagnosis.diff(a.id, other.id), {
    message: /is a workflow of Graph.noop-example/,
  });
  await t.throwsAsync(() => it.engine.diagnosis.diff(a.id, 'none'), { message: 'Could not find workflow none' });
});
