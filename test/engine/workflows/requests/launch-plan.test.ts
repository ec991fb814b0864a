/** Plans: a plan rejects what the launch rejects, and starts nothing. */
import test, { type ExecutionContext } from 'ava';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

async function open(t: ExecutionContext): Promise<TestEngine> {
  const it = await openEngine();
  t.teardown(() => it.close());
  return it;
}

/** Options that are wrong in different ways, and none. */
const options = [
  {},
  { nonsense: { a: 1 } },
  { defaults: { _taskTimeout: 'soon' } },
  { defaults: 1 as unknown as Record<string, unknown> },
];

test('for every graph of the library, a plan has rejections exactly if the launch is rejected, with the same code', async (t) => {
  const it = await open(t);
  const graphs = (await it.engine.library.graphs()).map(({ injectableName }) => injectableName);
  t.true(graphs.length > 15);
  let [rejected, launched] = [0, 0];
  for (const name of graphs) {
    for (const given of options) {
      const { id: nodeId } = await it.node();
      const request = { name, options: given, nodeId };
      const plan = await it.engine.plans.plan(request);
      t.is((await it.engine.nodes.find(nodeId))?.active, null, 'nothing was started');
      const error = await it.engine.launches.launch(request).then(
        ({ id }) => it.engine.control.cancel(id).then(() => undefined),
        (reason: unknown) => reason,
      );
      if (error === undefined) {
        t.deepEqual(plan.rejections, [], name);
        launched += 1;
        continue;
      }
      t.true(error instanceof NodewrightError, name);
      t.deepEqual([...new Set(plan.rejections.map(({ code }) => code))], [(error as NodewrightError).code], name);
      rejected += 1;
    }
  }
  t.log(`${launched} launches accepted, ${rejected} rejected`);
  t.true(launched > 5 && rejected > 10);
});

test('a busy node is rejected; an unknown graph is an error', async (t) => {
  const it = await open(t);
  const { id: nodeId } = await it.node();
  await it.launch('Graph.Demo.InstallOs', {}, nodeId);
  const { rejections } = await it.engine.plans.plan({ name: 'Graph.Demo.InstallOs', options: {}, nodeId });
  t.like(rejections, [{ path: 'node', code: 'NODE_BUSY' }]);
  await t.throwsAsync(() => it.engine.plans.plan({ name: 'Graph.None', options: {}, nodeId }), {
    message: 'Graph definition not found for Graph.None',
  });
});

test('a plan shows the tasks in their order, with options filled in and secrets redacted', async (t) => {
  const it = await open(t);
  await it.engine.library.putGraph({
    friendlyName: 'Planned',
    injectableName: 'Graph.Test.Planned',
    tasks: [
      { label: 'a', taskName: 'Task.Sleep', optionOverrides: { duration: 5 } },
      { label: 'b', taskName: 'Task.Run.Rest.Command', waitOn: { a: 'succeeded' } },
    ],
  });
  const { tasks } = await it.engine.plans.plan({
    name: 'Graph.Test.Planned',
    options: {
      b: { url: '{{ api.server }}/x', timeoutMs: '{{ context.a }}', headers: { Authorization: 'Bearer top-secret' } },
    },
    nodeId: null,
  });
  t.like(tasks, [
    { label: 'a', taskName: 'Task.Sleep', recovery: 'idempotent', destructive: false, waitsFor: [] },
    { label: 'b', recovery: 'once', waitsFor: ['a'] },
  ]);
  const url = String(tasks[1]?.options.url);
  t.regex(url, /^http:\/\/127\.0\.0\.1:\d+\/x$/);
  t.is(tasks[1]?.options.timeoutMs, '{{ context.a }}', 'a value that is not known yet stays a template');
  const shown = async (path: string) => {
    const b = { url: `http://10.1.1.1/${path}`, method: 'PUT', headers: { Authorization: 'Bearer top-secret' } };
    const plan = await it.engine.plans.plan({ name: 'Graph.Test.Planned', options: { b }, nodeId: null });
    return String(plan.tasks[1]?.options.url).replace('http://10.1.1.1/', '');
  };
  t.is(await shown('{{ options.method }}'), 'PUT', 'another option is known');
  t.notRegex(await shown('{{ options.headers.Authorization }}'), /secret/, 'another option does not show it');
  t.is(await shown('{{ options.none }}'), '{{ options.none }}');
  t.notRegex(JSON.stringify(tasks), /top-secret/);
});

test('a plan fills the id of its node in, and leaves what each task run gets', async (t) => {
  const it = await open(t);
  await it.engine.library.putGraph({
    friendlyName: 'Named',
    injectableName: 'Graph.Test.Named',
    tasks: [{ label: 'a', taskName: 'Task.Run.Rest.Command' }],
  });
  const { id } = await it.node();
  const planned = async (nodeId: string | null, url: string) => {
    const plan = await it.engine.plans.plan({ name: 'Graph.Test.Named', options: { a: { url } }, nodeId });
    return plan.tasks[0]?.options.url;
  };
  const named = 'http://127.0.0.1/{{ task.nodeId }}';
  t.is(await planned(id, named), `http://127.0.0.1/${id}`);
  for (const url of [`${named}/{{ task.instanceId }}`, `${named}/{{ task.callback }}`])
    t.is(await planned(id, url), url);
  t.is(await planned(null, named), named);
});

test('the labels before each label of a drawn graph follow its transitions', async (t) => {
  const it = await open(t);
  const { tasks } = await it.engine.plans.plan({ name: 'Graph.Demo.InstallOs', options: {}, nodeId: null });
  t.deepEqual(
    tasks.map(({ label, waitsFor }) => [label, waitsFor]),
    [
      ['wait-os-installed', []],
      ['wait-os-booted', ['wait-os-installed']],
    ],
  );
  const erase = await it.engine.plans.plan({ name: 'Graph.Drive.SecureErase', options: {}, nodeId: null });
  t.true(erase.tasks.some(({ destructive }) => destructive));
});
