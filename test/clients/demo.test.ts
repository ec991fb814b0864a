/** The clients do their main job on the demo, as their pages print it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { startDemo } from '../support/console/demo-process.ts';
import { seen } from '../support/faults/workload.ts';
import { shared } from '../support/servers/shared-resources.ts';
import { COLLECTION, installClients, runTool, tool, WHEEL, withTools } from '../support/source/client-packages.ts';
import { runPage } from '../support/source/page-run.ts';

const test = withTools();

/** A demo whose first rack is discovered, the clients, and a token of a user who may only read. */
const site = shared(async (file) => {
  const home = folder(file);
  const [demo, clients] = await Promise.all([startDemo(file, join(home, 'demo-data')), installClients(home)]);
  await seen(async () => {
    const free = await demo.get<{ sku: string | null }[]>('/nodes?name.prefix=r01s1&busy=false');
    return free.filter(({ sku }) => sku !== null).length === 10;
  }, 3 * WAIT_MS);
  const post = async <T>(path: string, body: object): Promise<T> => {
    const headers = { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${demo.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as T;
  };
  const reader = { username: 'reader', password: 'reads-and-no-more', role: 'ReadOnly' };
  await post('/api/current/users', reader);
  const { token: readOnly } = await post<{ token: string }>('/login', reader);
  // The first one, because the others lead there.
  const replaced = {
    '/tmp/': `${home}/`,
    'http://127.0.0.1:8080': demo.url,
    'demo-data/token': join(home, 'demo-data/token'),
  };
  return { demo, ...clients, readOnly, replaced };
});

const page = (name: string) => readFileSync(packagePath(`docs/integrate/${name}.md`), 'utf8');

const count = async (list: string): Promise<number> =>
  (await (await site()).demo.get<object[]>(`${list}$top=1000`)).length;
/** The demo itself launches other graphs. */
const workflows = () => count('/workflows?injectableName=Graph.noop-example&');

test('the page of the Python client runs on the demo as it is printed', async (t) => {
  t.timeout(8 * WAIT_MS);
  const { home, python, replaced } = await site();
  await runPage(t, page('python'), {
    ...replaced,
    [`python3 -m venv ${home}/client\n`]: '',
    [`${home}/client/bin/pip install ${WHEEL}\n`]: `export PYTHONPATH=${python.PYTHONPATH}\n`,
    [`${home}/client/bin/python`]: tool('python'),
  });
});

const rejected = `
import json, sys
from nodewright import ApiError, connect
from nodewright.api.nodes import list_nodes, start_node_workflow
from nodewright.models import StartNodeWorkflowBody
client = connect()
[node] = list_nodes.sync(client=client, name="r01s12")
try:
    start_node_workflow.sync(node.id, client=client, body=StartNodeWorkflowBody.from_dict(json.loads(sys.argv[1])))
except ApiError as error:
    print(json.dumps([error.status, error.code, error.message, error.required_privileges]))
`;

async function rejectionOf(t: ExecutionContext, token: string, body: object): Promise<unknown[]> {
  const { demo, python } = await site();
  const before = await workflows();
  const env = { NW_URL: demo.url, NW_TOKEN: token, ...python };
  const { stdout } = await runTool('python', ['-c', rejected, JSON.stringify(body)], env);
  t.is(await workflows(), before, 'nothing was launched');
  return JSON.parse(stdout);
}

test('a launch that the daemon rejects raises its code and message in Python, and launches nothing', async (t) => {
  const { demo, readOnly } = await site();
  const options = { 'noop-1': { delay: 'soon' } };
  const [status, code, message] = await rejectionOf(t, demo.token, { name: 'Graph.noop-example', options });
  t.deepEqual([status, code], [400, 'INVALID_OPTIONS']);
  t.regex(String(message), /delay/);
  const [forbidden, right, , needed] = await rejectionOf(t, readOnly, { name: 'Graph.noop-example' });
  t.deepEqual([forbidden, right, needed], [403, 'FORBIDDEN', ['Write', 'ConfigureComponents']]);
});

test('the page of the Ansible collection runs on the demo as it is printed, and its check mode changes nothing', async (t) => {
  t.timeout(8 * WAIT_MS);
  const { ansible, replaced } = await site();
  const before = await workflows();
  const variables = Object.entries(ansible).map(([name, value]) => `${name}=${value}`);
  await runPage(t, page('ansible'), {
    ...replaced,
    [`ansible-galaxy collection install ${COLLECTION}\n`]: `export ${variables.join(' ')}\n`,
  });
  // It is run in check mode, then twice, and the second run finds all of it.
  t.is(await count('/holds?'), 1);
  t.is(await count('/rollouts?name=maintenance 41&'), 1);
  t.is((await workflows()) - before, 9);
});

test('a launch that the daemon rejects fails in Ansible with its code and message, and launches nothing', async (t) => {
  const { demo, ansible, readOnly } = await site();
  const before = await workflows();
  const launch = (token: string, more: object) => {
    const options = JSON.stringify({ graph: 'Graph.noop-example', nodes: ['r01s13'], ...more });
    const env = { ...ansible, NW_URL: demo.url, NW_TOKEN: token };
    return runTool('ansible', ['localhost', '-m', 'nodewright.nodewright.launch', '-a', options], env);
  };
  const wrong = await t.throwsAsync(launch(demo.token, { options: { 'noop-1': { delay: 'soon' } } }));
  t.regex(wrong?.message ?? '', /"code": "INVALID_OPTIONS"/);
  t.regex(
    wrong?.message ?? '',
    /nothing was launched: r01s13: INVALID_OPTIONS: options\.noop-1\.delay: must be integer/,
  );
  const forbidden = await t.throwsAsync(launch(readOnly, {}));
  t.regex(
    forbidden?.message ?? '',
    /403 FORBIDDEN: Forbidden; privileges: found [^;]*; expected Write or ConfigureComponents; [^;]*$/m,
  );
  t.false(forbidden?.message.includes(readOnly), 'the token is not shown');
  const absent = await t.throwsAsync(launch(demo.token, { nodes: ['r01s13', 'r09s99'] }));
  t.regex(absent?.message ?? '', /found no node r09s99; expected the name/);
  t.is(await workflows(), before);
  // The workflow continues after the wait for it, so something has changed.
  const late = await t.throwsAsync(launch(demo.token, { wait_timeout: 1, options: { 'noop-1': { delay: 30_000 } } }));
  t.regex(late?.message ?? '', /"changed": true/);
  t.regex(late?.message ?? '', /has not ended after 1 s \(wait_timeout\); it continues/);
});

/** Tasks on a node, each with what is expected: whether it changes something. */
const steps: readonly { changed: boolean; check?: boolean; node: object }[] = [
  { changed: true, check: true, node: { type: 'rack' } },
  { changed: true, node: { type: 'rack', tags: ['a', 'b'], identifiers: ['02:00:00:00:09:09'] } },
  { changed: false, node: { type: 'rack', tags: ['b', 'a'], identifiers: ['02-00-00-00-09-09'] } },
  { changed: true, check: true, node: { tags: ['b'] } },
  { changed: true, node: { tags: ['b'] } },
  { changed: true, node: { obm: obmOf('10.0.9.1', 'first-secret') } },
  { changed: false, node: { obm: obmOf('10.0.9.1', 'other-secret') } },
  { changed: true, node: { obm: obmOf('10.0.9.1', 'other-secret'), update_obm: 'always' } },
  { changed: true, node: { obm: obmOf('10.0.9.2', 'other-secret') } },
  { changed: true, check: true, node: { state: 'absent' } },
  { changed: true, node: { state: 'absent' } },
  { changed: false, node: { state: 'absent' } },
];

function obmOf(host: string, password: string): object {
  return { service: 'ipmi-obm-service', config: { host, user: 'admin', password } };
}

test('the module of nodes creates, changes and removes a node, says what changes, and shows no password', async (t) => {
  const { demo, home, ansible } = await site();
  const tasks = steps.flatMap(({ changed, check = false, node }) => [
    {
      'nodewright.nodewright.node': { name: 'r09', ...node },
      check_mode: check,
      diff: true,
      register: 'done',
    },
    { 'ansible.builtin.assert': { that: [`done.changed == ${changed ? 'true' : 'false'}`] } },
  ]);
  const play = join(home, 'nodes.json');
  writeFileSync(play, JSON.stringify([{ hosts: 'localhost', gather_facts: false, tasks }]));
  const env = { ...ansible, NW_URL: demo.url, NW_TOKEN: demo.token };
  const { stdout } = await runTool('ansible-playbook', ['-vvv', play], env);
  t.regex(stdout, new RegExp(`ok=${2 * steps.length} .*failed=0 `));
  t.notRegex(stdout, /first-secret|other-secret/);
  t.is(await count('/nodes?name=r09&'), 0);
});
