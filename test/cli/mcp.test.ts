/** `nw mcp`, with a client of the protocol's own, against a real daemon. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import test, { type ExecutionContext } from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { addNode, sharedCliDaemon } from '../support/console/cli-scene.ts';
import { commandLine, commandLineOf } from '../support/console/command-line.ts';
import type { DaemonProcess } from '../support/servers/daemon.ts';

const daemonOf = sharedCliDaemon();
const CHANGES = ['launch', 'request_ticket'];

/** The command as an assistant starts it. */
async function assistant(t: ExecutionContext, daemon: DaemonProcess, ...flags: string[]) {
  const { env } = commandLine(t, daemon);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [packagePath('dist/nw.mjs'), 'mcp', ...flags],
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  t.teardown(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    const [{ text } = { text: '' }] = content as { text: string }[];
    return { text, isError, answer: () => JSON.parse(text) };
  };
  return { client, call };
}

test.serial('an assistant reads nodes, workflows, why, plans, failures, history, differences and pages', async (t) => {
  const daemon = await daemonOf();
  const { client, call } = await assistant(t, daemon);
  await addNode(daemon, 'mcp-1');
  const nw = commandLine(t, daemon);
  const { stdout } = await nw.run('run', 'Graph.Cli.Wait', 'mcp-1');
  const id = stdout.trim();
  const { tools } = await client.listTools();
  t.true(tools.every(({ annotations }) => annotations?.readOnlyHint));
  t.deepEqual(
    tools.filter(({ name }) => CHANGES.includes(name)),
    [],
  );
  const calls: Record<string, Record<string, unknown>> = {
    summary: {},
    nodes: { filter: { 'name.prefix': 'mcp' } },
    node: { node: 'mcp-1' },
    workflows: { filter: { active: true }, top: 5 },
    workflow: { workflow: id },
    why: { of: 'mcp-1' },
    history: { workflow: 'mcp-1' },
    failures: {},
    diff: { a: id, b: id },
    plan: { name: 'Graph.noop-example', node: 'mcp-1' },
    events: { filter: { type: 'graph' } },
    explain: { name: 'NODE_HELD' },
  };
  t.deepEqual(Object.keys(calls).toSorted(), tools.map(({ name }) => name).toSorted());
  for (const [name, input] of Object.entries(calls)) {
    const { text, isError } = await call(name, input);
    t.false(isError, `${name}: ${text}`);
  }
  t.is((await call('workflow', calls.workflow)).answer().id, id);
  t.is((await call('why', { of: 'mcp-1' })).answer().waits[0].label, 'report');
  const { total, items } = (await call('nodes', calls.nodes)).answer();
  t.like([total, items[0]], [1, { name: 'mcp-1', active: { id } }]);
  t.false('catalogs' in items[0], 'the tool `node` returns the whole record');
  const chosen = await call('nodes', { filter: { 'name.prefix': 'mcp', fields: 'obms,tags' } });
  t.deepEqual(Object.keys(chosen.answer().items[0]).toSorted(), ['id', 'obms', 'tags']);
  const [listed] = (await call('workflows', calls.workflows)).answer().items;
  t.like(listed, { id, node: items[0].id, injectableName: 'Graph.Cli.Wait' });
  t.false('tasks' in listed, 'the tool `workflow` returns the whole record');
  const [, second] = (await call('events', { top: 2 })).answer();
  t.is((await call('events', { after: second.seq - 1, top: 1 })).answer()[0].id, second.id);
  const now = new Date(Date.now() + 60_000).toISOString();
  t.deepEqual((await call('events', { filter: { since: now } })).answer(), []);
});

test.serial('what is wrong in a call is said, and costs nothing', async (t) => {
  const { call } = await assistant(t, await daemonOf());
  const rejected = async (name: string, input: Record<string, unknown>, message: RegExp) => {
    const { text, isError } = await call(name, input);
    t.true(isError, name);
    t.regex(text, message);
  };
  await rejected('node', { node: 'nowhere' }, /found no node/);
  await rejected('nodes', { filter: { __proto__x: 1 } }, /__proto__x/);
  await rejected('nodes', { top: 5_000 }, /100|top/);
  await rejected('why', {}, /of is missing \(arguments: of\)/);
  await rejected('nodes', { type: 'compute' }, /type is unknown.* \(arguments: filter, top\)/);
  await rejected('summary', { of: 'mcp-1' }, /of is unknown.* \(arguments: none\)/);
  for (const node of ['', '.', '..'])
    await rejected('plan', { name: 'Graph.noop-example', node }, /expected a name or an id/);
  await t.throwsAsync(() => call('launch', { name: 'Graph.noop-example', node: 'mcp-1', ticket: 'x' }), {
    message: /launch/,
  });
});

test.serial('with --launches it launches what another user has approved, and nothing else', async (t) => {
  const daemon = await daemonOf();
  const { call } = await assistant(t, daemon, '--launches');
  const node = await addNode(daemon, 'mcp-2');
  const launch = { name: 'Graph.noop-example', node: 'mcp-2' };
  const ticket = (await call('request_ticket', launch)).answer();
  t.is(ticket.status, 'requested');
  const early = await call('launch', { ...launch, ticket: ticket.id });
  t.true(early.isError, early.text);
  const approver = await commandLineOf(t, daemon, 'approver', 'Administrator');
  t.is((await approver.run('ticket', 'approve', ticket.id)).status, 0);
  const other = await call('launch', { ...launch, name: 'Graph.Cli.Wait', ticket: ticket.id });
  t.true(other.isError, other.text);
  const launched = (await call('launch', { ...launch, ticket: ticket.id })).answer();
  t.like(launched, { node, injectableName: 'Graph.noop-example', ticket: { id: ticket.id } });
});
