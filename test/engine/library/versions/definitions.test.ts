/** Definitions while the engine runs: added, broken, changed during a workflow, and deleted. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { definitionsSpec } from '../../../../engine/library/versions/archive.ts';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { folder } from '../../../support/ava/folder.ts';
import { SLOWER } from '../../../support/ava/patience.ts';
import { folders } from '../../../support/engine/definition-folders.ts';
import { openEngine, TestEngine } from '../../../support/engine/engine.ts';
import { putLoaded } from '../../../support/engine/trial-results.ts';

/** Two seconds, on a quiet machine. */
const SOON_MS = 2_000 * SLOWER;

/** A machine that waits for two notifications and ends in a state of the given name. */
const machine = (name: string, end: string) => `
import { createMachine } from 'xstate';
export default createMachine({
  id: '${name}', initial: 'one',
  states: {
    one: { invoke: { id: 'first', src: 'Task.Wait.Notification', onDone: 'two' } },
    two: { invoke: { id: 'second', src: 'Task.Wait.Notification', onDone: '${end}' } },
    ${end}: { type: 'final' },
  },
  output: ({ self }) => '${end}',
});
`;

function ownFolder(t: ExecutionContext) {
  const graphs = join(folder(t), 'graphs');
  mkdirSync(graphs);
  const config = { graphs: [...folders.graphs, graphs], tasks: folders.tasks };
  return { config, put: (name: string, text: string) => writeFileSync(join(graphs, name), text), graphs };
}

async function opened(t: ExecutionContext, it: TestEngine): Promise<TestEngine> {
  t.teardown(() => it.close());
  return it;
}

test.serial(
  'a machine file that is added can be launched within two seconds, and a broken file blocks no other',
  async (t) => {
    const { config, put } = ownFolder(t);
    const it = await opened(t, await openEngine(config));
    const before = Date.now();
    put('broken.ts', 'export default {');
    put('dropped.ts', machine('Graph.Dropped.In', 'done'));
    await it.until(async () => (await it.engine.library.graph('Graph.Dropped.In')) !== undefined);
    await it.until(async () => (await it.engine.library.errors()).length > 0);
    t.true(Date.now() - before < SOON_MS);
    const [error] = (await it.engine.library.errors()) as { file: string; found: string; expected: string }[];
    t.regex(error?.file ?? '', /broken\.ts/);
    t.truthy(error?.found);
    t.truthy(error?.expected);
    const { id } = await it.launch('Graph.Dropped.In');
    await it.engine.notifications.notify({}, id);
    await it.engine.notifications.notify({}, id);
    t.is((await it.finished(id)).status, 'succeeded');
  },
);

test.serial('a file whose names no record can have is rejected with the reason, and no start fails', async (t) => {
  const { config, put } = ownFolder(t);
  const tasks = [{ label: 'a', taskName: 'Task.noop' }];
  const names = [
    ['Graph.Half\ud800', 'half'],
    ['Graph.Nul', 'a\0b'],
    ['Graph.Whole', 'whole'],
  ];
  for (const [at, [injectableName, friendlyName]] of names.entries())
    put(`${at}.json`, JSON.stringify({ injectableName, friendlyName, tasks }));
  put('3.ts', machine('Graph.Long', 'done').replace('id:', `description: '${'d'.repeat(3_000)}', id:`));
  const it = await opened(t, await openEngine(config));
  t.is((await it.launch('Graph.Whole')).name, 'whole');
  const errors = (await it.engine.library.errors()) as { file: string; found: string }[];
  t.deepEqual(errors.map(({ found }) => found.split(' ')[0]).sort(), [
    'friendlyName',
    'friendlyName',
    'injectableName',
  ]);
});

test.serial('a workflow ends on the version that it started with, even after a restart of the daemon', async (t) => {
  const { config, put } = ownFolder(t);
  put('pinned.ts', machine('Graph.Test.Pinned', 'old'));
  const first = await openEngine(config);
  const [a, b] = [await first.launch('Graph.Test.Pinned'), await first.launch('Graph.Test.Pinned')];
  const old = a.definitionHash;
  for (const { id } of [a, b]) await first.engine.notifications.notify({}, id);
  put('pinned.ts', machine('Graph.Test.Pinned', 'new'));
  await first.until(async () => (await first.launch('Graph.Test.Pinned')).definitionHash !== old);
  await first.engine.notifications.notify({}, a.id);
  t.is((await first.finished(a.id)).output, 'old');
  await first.engine.close();

  const second = await opened(t, await new TestEngine(first.dataDir, config).open());
  await second.engine.notifications.notify({}, b.id);
  t.is((await second.finished(b.id)).output, 'old');
  const c = await second.launch('Graph.Test.Pinned');
  for (let n = 0; n < 2; n += 1) await second.engine.notifications.notify({}, c.id);
  t.is((await second.finished(c.id)).output, 'new');
});

test.serial(
  'a workflow without its definition is suspended, reports it, resumes when the definition is back, and can be cancelled',
  async (t) => {
    const { config, put, graphs } = ownFolder(t);
    put('gone.ts', machine('Graph.Test.Gone', 'done'));
    const first = await openEngine(config);
    const [held, given] = [await first.launch('Graph.Test.Gone'), await first.launch('Graph.Test.Gone')];
    await first.reached(given.id, 'first', 'waiting');
    await first.engine.close();
    rmSync(join(graphs, 'gone.ts'));
    await forgetVersions(first.dataDir, held.definitionHash);

    const second = await new TestEngine(first.dataDir, config).open();
    await second.engine.notifications.notify({}, held.id);
    await second.until(async () => (await second.get(held.id)).error !== null);
    const row = await second.get(held.id);
    t.is(row.status, 'running');
    t.is(row.error?.code, 'DEFINITION_GONE');
    await second.engine.control.cancel(given.id);
    t.is((await second.finished(given.id)).status, 'cancelled');
    await second.engine.close();

    put('gone.ts', machine('Graph.Test.Gone', 'done'));
    const third = await opened(t, await new TestEngine(first.dataDir, config).open());
    await third.reached(held.id, 'second', 'waiting');
    await third.engine.notifications.notify({}, held.id);
    const ended = await third.finished(held.id);
    t.is(ended.status, 'succeeded');
    t.is(ended.error, null);
  },
);

/** As after a restore from a backup without them. */
async function forgetVersions(dataDir: string, hash: string): Promise<void> {
  const store = await openEmbeddedStore({ dataDir });
  await (await store.collection(definitionsSpec)).remove({ id: hash });
  await store.close();
  rmSync(join(dataDir, 'library'), { recursive: true, force: true });
  // The results for the included definitions, without the texts of any engine.
  await putLoaded(dataDir);
  rmSync(join(dataDir, 'library/texts'));
}

test.serial(
  'a machine put as JSON runs over a restart: outputs in templates, a failed task, and a secret that is not shown',
  async (t) => {
    const first = await openEngine();
    const waiting = { initial: 'waiting', states: {} as Record<string, object> };
    waiting.states = {
      waiting: { invoke: { src: 'wait', onDone: 'writing', onError: 'failed' } },
      writing: {
        invoke: {
          src: 'write',
          input: { ledger: first.path('ledger'), line: 'disk {{ context.wait.disk }}' },
          onDone: 'calling',
          onError: 'failed',
        },
      },
      calling: {
        invoke: {
          src: 'call',
          input: { url: 'http://127.0.0.1:1/', headers: { token: 'hidden' } },
          onDone: 'done',
          onError: { target: 'failed' },
        },
      },
      done: { type: 'final' },
      failed: { type: 'final', tags: ['failed'] },
    };
    await first.engine.library.putGraph({
      injectableName: 'Graph.From.Json',
      friendlyName: 'From JSON',
      machine: waiting,
      tasks: { wait: 'Task.Wait.Notification', write: 'Task.Fixture.Write', call: 'Task.Run.Rest.Command' },
    });
    const shown = JSON.stringify(await first.engine.library.graph('Graph.From.Json'));
    t.regex(shown, /"headers":"REDACTED"/);
    t.notRegex(shown, /hidden/);
    const { id } = await first.launch('Graph.From.Json');
    await first.engine.close();
    const it = await opened(t, await new TestEngine(first.dataDir, {}).open());
    await it.engine.notifications.notify({ disk: 'sda' }, id);
    const row = await it.finished(id);
    t.deepEqual(await it.lines('ledger'), ['disk sda']);
    t.is(row.status, 'failed');
    t.is(row.error?.code, 'ECONNREFUSED');
  },
);
