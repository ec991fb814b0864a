/** Uploads of an Operator, and requests of a node without a token for them, cannot harm the daemon. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { archiveOf, type Entries } from '../support/data/archive.ts';
import { rejected } from '../support/data/hostile-templates.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { type Api, northbound, type Send, serve, southbound } from '../support/servers/api.ts';

let it: TestEngine;
test.before(async () => {
  it = await openEngine();
});
test.after.always(() => it?.close());

const gzip = { 'content-type': 'application/gzip' };
/** One of each kind of harm. */
const hostile = [
  ...['a dynamic import', 'require', 'include', 'process', 'an endless loop', 'a thrown endless getter'],
  ...['a list that is filled', 'a list that grows', 'an escape of 5e7 characters', 'an output that is huge'],
  ...['a recursion', 'a built-in function that takes for ever', 'a regular expression that backtracks'],
];

interface Endpoints {
  /** As an Operator. */
  north: Send;
  south: Send;
}

async function endpoints(t: ExecutionContext): Promise<Endpoints> {
  const { send, as }: Api<TestEngine['engine']> = await serve(t, northbound, it.engine);
  const token = await as('Operator');
  const { send: south } = await serve(t, southbound, it.engine);
  return { north: (method, path, request) => send(method, path, { token, ...request }), south };
}

/** A node of a SKU with this pack; the answer to the upload. */
async function packed({ north }: Endpoints, entries: Entries) {
  const kind = randomUUID();
  const { id: node } = await it.node();
  const rules = [{ path: 'dmi.kind', equals: kind }];
  const sku = (await north('POST', '/api/current/skus', { body: { name: kind, rules } })).body.id;
  await it.engine.catalogs.add(node, 'dmi', { kind });
  const answer = await north('PUT', `/api/current/skus/${sku}/pack`, { raw: await archiveOf(entries), headers: gzip });
  return { node, answer };
}

async function isWell(t: ExecutionContext, { south, north }: Endpoints): Promise<void> {
  for (const send of [south, north]) t.is((await send('GET', '/healthz')).status, 200);
}

test.serial('hostile templates of a pack are answered 400 with a reason, and the next one renders', async (t) => {
  const both = await endpoints(t);
  const names = new Map(hostile.map((what, n) => [`h${n}`, rejected[what] as string]));
  const entries = Object.fromEntries([...names].map(([name, text]) => [`templates/${name}`, text]));
  const good = '<%= node.id %> <%= typeof process %> <%= typeof polluted %> <%= JSON.stringify({}) %>';
  const config = { httpTemplateRoot: 'templates', httpProfileRoot: 'templates' };
  const { node, answer } = await packed(both, { 'config.json': config, ...entries, 'templates/good': good });
  t.is(answer.status, 201);
  for (const name of names.keys()) {
    const asked = both.south('GET', `/api/current/templates/${name}?nodeId=${node}`);
    await isWell(t, both);
    const { status, body } = await asked;
    t.is(status, 400, names.get(name));
    t.regex(body.message, new RegExp(`^${name} does not render: .`));
    const next = await both.south('GET', `/api/current/profiles/good?nodeId=${node}`);
    t.is(next.body, `${node} undefined undefined {}`, names.get(name));
  }
});

const task = (optionsSchema: object) => ({
  friendlyName: 'Wait',
  injectableName: 'Task.Hostile',
  implementsTask: 'Task.Fixture.Write',
  options: { line: 'a', ledger: it.path('ledger') },
  optionsSchema,
});
const graph = {
  friendlyName: 'G',
  injectableName: 'Graph.Hostile',
  tasks: [{ label: 'it', taskName: 'Task.Hostile' }],
};
const packOf = (optionsSchema: object): Entries => ({
  'config.json': { workflowRoot: 'graphs', taskRoot: 'tasks' },
  'tasks/t.json': task(optionsSchema),
  'graphs/g.json': graph,
});
const secret = (schema: object) => ({ properties: { line: schema } });

test.serial('a schema of a pack with a pattern that backtracks in other engines delays no launch', async (t) => {
  const both = await endpoints(t);
  const { node, answer } = await packed(both, packOf(secret({ type: 'string', pattern: '^(a+)+$' })));
  t.is(answer.status, 201, answer.body.message);
  const launch = (line: string) =>
    both.north('POST', `/api/current/nodes/${node}/workflows?name=Graph.Hostile`, {
      body: { options: { it: { line } } },
    });
  const { status, body } = await launch(`${'a'.repeat(5_000)}!`);
  t.is(status, 400);
  t.deepEqual(
    body.errors.map(({ path }: { path: string }) => path),
    ['options.it.line'],
  );
  await isWell(t, both);
});

test.serial('an unsupported schema of a pack is rejected with the reason', async (t) => {
  const both = await endpoints(t);
  const reference = { allOf: [{ $ref: '#' }, { $ref: '#' }] };
  for (const [schema, message] of [
    [secret({ pattern: '(?<=a)b' }), /look-behind/],
    [secret({ pattern: '(a)\\1' }), /back-reference/],
    [secret({ pattern: '(a{1000}){1000}' }), /has the size/],
    [secret(reference), /cycle/],
    [secret({ uniqueItems: true }), /uniqueItems/],
  ] as const) {
    const { answer } = await packed(both, packOf(schema));
    t.is(answer.status, 400);
    t.regex(answer.body.message, message);
  }
  await isWell(t, both);
});

test.serial('unsupported patterns of rules, filters and alerts are rejected, each with its path', async (t) => {
  const both = await endpoints(t);
  const { send, as } = await serve(t, northbound, it.engine);
  const token = await as('Administrator', 'root');
  const { id: node } = await it.node();
  const regex = '(a)\\1';
  for (const [path, body, at] of [
    ['skus', { name: 'x', rules: [{ path: 'dmi.a', regex }] }, 'rules.0.regex'],
    ['skus/match', { nodeId: node, rules: [{ path: 'dmi.a', notRegex: '(?!a)' }] }, 'rules.0.notRegex'],
    ['hooks', { url: 'http://127.0.0.1:1/', filters: [{}, { action: regex }] }, 'filters.1.action'],
    [
      'pollers',
      { type: 'ipmi', node, config: { alerts: [{ severity: 'critical', A: `/${regex}/` }] } },
      'config.alerts.0.A',
    ],
  ] as const) {
    const answer = await send('POST', `/api/current/${path}`, { token, body });
    t.is(answer.status, 400, path);
    t.is(answer.body.errors[0].path, at);
    t.regex(answer.body.message, /back-reference|look-ahead/);
  }
  await isWell(t, both);
});

test.serial('a bound of a rule that is a long text of digits is rejected', async (t) => {
  const both = await endpoints(t);
  const body = { name: 'x', rules: [{ path: 'dmi.a', min: `${'1'.repeat(200_000)}x` }] };
  t.is((await both.north('POST', '/api/current/skus', { body })).status, 400);
  await isWell(t, both);
});
