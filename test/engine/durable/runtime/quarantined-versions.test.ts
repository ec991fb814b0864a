/** A version of a graph that stopped the daemon once, on the real engine: nothing runs it until it is released. */
import test from 'ava';
import { openEngine } from '../../../support/engine/engine.ts';
import { currentHash, stopBy } from '../../../support/engine/stopped-version.ts';

const graph = (name: string, duration = 1_000) => ({
  friendlyName: 'Waits',
  injectableName: name,
  tasks: [{ label: 'wait', taskName: 'Task.Wait.Notification', optionOverrides: { _taskTimeout: 60_000 + duration } }],
});

const quarantined = { code: 'QUARANTINED' };

test('a version that stopped the daemon is not launched, checked or simulated again, and neither is another one of its author', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  await it.engine.library.putGraph(graph('Graph.Test.First'), 'eve');
  await it.engine.library.putGraph(graph('Graph.Test.Before'), 'eve');
  await it.engine.library.putGraph(graph('Graph.Test.Other'), 'adam');
  const [bad, neighbour] = [await it.launch('Graph.Test.First'), await it.launch('Graph.Test.First')];
  await stopBy(it, bad.id, 'Graph.Test.First', 'eve');

  await it.engine.library.putGraph(graph('Graph.Test.Second', 2_000), 'eve');
  for (const name of ['Graph.Test.First', 'Graph.Test.Before', 'Graph.Test.Second']) {
    await t.throwsAsync(it.launch(name), quarantined, name);
    await t.throwsAsync(it.engine.simulations.check(name), quarantined, name);
    await t.throwsAsync(it.engine.simulations.play(name, { moves: [] }), quarantined, name);
  }
  await t.throwsAsync(it.launch('Graph.Test.Second'), { message: /another version of the same user, eve/ });
  t.like((await it.get(bad.id)).error, quarantined);
  t.is((await it.launch('Graph.Test.Other')).status, 'running');
  await it.engine.library.putGraph(graph('Graph.Test.Second', 2_000), 'adam');
  t.is((await it.launch('Graph.Test.Second')).status, 'running');

  // Another workflow of the version takes no step either.
  await t.throwsAsync(it.engine.control.pause(neighbour.id), quarantined);
  t.like((await it.get(neighbour.id)).error, quarantined);
  t.like(await it.engine.diagnosis.whyWorkflow(neighbour.id), {
    waits: [{ waitingOn: 'held' }],
    suggestions: [{ action: 'release' }, { action: 'cancel' }],
  });

  await it.engine.control.release(bad.id);
  t.is((await it.get(bad.id)).error, null);
  t.is((await it.launch('Graph.Test.First')).status, 'running');
  t.is((await it.launch('Graph.Test.Before')).status, 'running');
  await it.engine.control.cancel(neighbour.id);
  t.is((await it.finished(neighbour.id)).status, 'cancelled');
});

test('a version whose launch left no workflow is released by its hash, also for later starts', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  await it.engine.library.putGraph(graph('Graph.Test.First'), 'eve');
  await it.engine.library.putGraph(graph('Graph.Test.Before'), 'eve');
  const hash = await currentHash(it, 'Graph.Test.First');
  const release = (name: string, version: string) => it.engine.graphVersions.release(name, version, 'adam');
  await t.throwsAsync(release('Graph.Test.First', hash), {
    code: 'CONFLICT',
    message: `version ${hash} of Graph.Test.First is not quarantined; expected a quarantined one`,
  });
  t.is(await release('Graph.Test.First', 'none'), undefined);
  t.is(await release('Graph.None', hash), undefined);
  await stopBy(it, 'no-such-workflow', 'Graph.Test.First', 'eve');

  const command = new RegExp(`nw graph release Graph\\.Test\\.First ${hash.slice(0, 12)}\\)$`);
  await t.throwsAsync(it.launch('Graph.Test.First'), { ...quarantined, message: command });
  await t.throwsAsync(it.launch('Graph.Test.Before'), { ...quarantined, message: command });
  const [version] = await it.engine.graphVersions.list('Graph.Test.First');
  t.regex(version?.quarantine?.reason ?? '', /ended the daemon \(process\.exit\)$/);
  t.true(Date.parse(version?.quarantine?.since ?? '') <= Date.now());
  const [neighbour] = await it.engine.graphVersions.list('Graph.Test.Before');
  t.regex(neighbour?.quarantine?.reason ?? '', /^another version of the same user, eve/);

  t.like(await release('Graph.Test.First', hash), { hash, quarantine: null });
  t.is((await it.launch('Graph.Test.First')).status, 'running');
  t.is((await it.launch('Graph.Test.Before')).status, 'running');
  await t.throwsAsync(release('Graph.Test.First', hash), { code: 'CONFLICT' });
  await it.engine.close();
  await it.open();
  t.is((await it.launch('Graph.Test.First')).status, 'running');
  t.is((await it.engine.graphVersions.list('Graph.Test.First'))[0]?.quarantine, null);
});

test('a release of a workflow that runs changes nothing, also while its version is quarantined', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  await it.engine.library.putGraph(graph('Graph.Test.First'), 'eve');
  const { id } = await it.launch('Graph.Test.First');
  await stopBy(it, 'no-such-workflow', 'Graph.Test.First', 'eve');
  await t.throwsAsync(it.engine.control.release(id), { code: 'CONFLICT' });
  t.is((await it.get(id)).error, null);
  await t.throwsAsync(it.launch('Graph.Test.First'), quarantined);
});
