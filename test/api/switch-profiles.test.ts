/** /profiles/switch over real sockets: switches at zero-touch provisioning, with the daemon's own agent and with programs of RackHD. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { folder } from '../support/ava/folder.ts';
import { startScript } from '../support/bmcs/agent.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, serve, southbound } from '../support/servers/api.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openEngine();
});
test.after.always((t) => t.context.it?.close());

const SWITCHES = '/api/current/profiles/switch';
const open = { ...northbound, authEnabled: false };

test.serial(
  'a switch that asks becomes a node of the type switch, and its discovery waits for its agent',
  async (t) => {
    const { it } = t.context;
    const { send, port } = await serve(t, southbound, it.engine);
    for (const [vendor, header, mac] of [
      ['arista', 'x-arista-systemmac', '02:cc:00:00:0c:01'],
      ['onie', 'onie-eth-addr', '02:cc:00:00:0c:02'],
      ['Cumulus', 'cumulus-base-mac', '02:cc:00:00:0c:03'],
      ['sonic', 'base-mac-address', '02:cc:00:00:0c:04'],
      ['dell', '', '02:cc:00:00:0c:05'],
    ] as const) {
      const query = header === '' ? `?mac=${mac}` : '';
      const headers = header === '' ? {} : { [header]: mac.toUpperCase() };
      const { status, body } = await send('GET', `${SWITCHES}/${vendor}${query}`, { headers });
      t.is(status, 200, body);
      const node = await it.engine.nodes.find(mac);
      t.like(node, { type: 'switch', active: { name: 'Discover a switch by zero-touch provisioning' } });
      const url = `http://127.0.0.1:${port}/api/current/tasks/bootstrap.sh?nodeId=${node?.id}`;
      t.true(body.startsWith('#!/bin/sh\n') && body.includes(`url='${url}'\n`), body);
      t.regex(body, new RegExp(`^key='${node?.id}\\.[\\w-]{43}'$`, 'm'));
    }
  },
);

test.serial('a request that says no switch, or no vendor, is rejected, and no node is made', async (t) => {
  const { it } = t.context;
  const { send } = await serve(t, southbound, it.engine);
  const before = (await it.engine.nodes.list({ skip: 0, limit: 1, filter: {} }, {})).total;
  const nameless = await send('GET', `${SWITCHES}/cisco`);
  t.is(nameless.status, 400);
  t.regex(
    nameless.body.message,
    /mac is missing: expected it in one of the headers x-arista-systemmac, .*POST \/lookups$/,
  );
  t.is((await send('GET', `${SWITCHES}/cisco?mac=x`)).status, 400);
  const unknown = await send('GET', `${SWITCHES}/acme?mac=02:cc:00:00:0d:01`);
  t.like(unknown, { status: 400, body: { message: /arista, brocade, cisco/.exec(unknown.body.message)?.input } });
  t.is((await it.engine.nodes.list({ skip: 0, limit: 1, filter: {} }, {})).total, before);
});

test.serial('a switch that sends no MAC is known by the lookup that an operator entered for its address', async (t) => {
  const { it } = t.context;
  const { send } = await serve(t, southbound, it.engine);
  const { id } = await it.node();
  const lookup = await it.engine.lookups.create({ macAddress: '02:cc:00:00:0d:09', ipAddress: '127.0.0.1', node: id });
  t.teardown(() => it.engine.lookups.remove(lookup.id));
  const { status, body } = await send('GET', `${SWITCHES}/dell`);
  t.is(status, 200);
  t.true(body.includes(`nodeId=${id}`));
});

test.serial('a program of RackHD gets files instead of commands, and returns them without an exit code', async (t) => {
  const { it } = t.context;
  const { send, port } = await serve(t, southbound, it.engine);
  const north = await serve(t, open, it.engine);
  const without = await send('GET', `${SWITCHES}/cisco?mac=02:cc:00:00:0e:01`);
  t.is(without.status, 404);
  t.is(await it.engine.nodes.find('02:cc:00:00:0e:01'), undefined);
  t.regex(without.body.message, /^Profile not found: taskrunner\.py; upload it, or import a checkout of RackHD$/);
  const raw = "vendor <%=switchVendor%>\nTASKS_URI = 'http://<%=server%>:<%=port%>/api/2.0/tasks/<%=identifier%>'\n";
  const headers = { 'content-type': 'text/plain' };
  await north.send('PUT', '/api/current/profiles/library/taskrunner.py', { raw, headers });
  t.is((await send('GET', `${SWITCHES}/cisco?mac=02:cc:00:00:0e:01`)).status, 200);
  const { id } = (await it.engine.nodes.find('02:cc:00:00:0e:01')) as { id: string };
  await it.engine.control.cancelOn(id);
  await it.until(async () => (await it.engine.workflows.activeOn(id)) === undefined);
  const file = `http://127.0.0.1:${port}/api/current/templates/version.py?nodeId=${id}`;
  await it.engine.library.putGraph({
    friendlyName: 'Catalog',
    injectableName: 'Graph.Test.Switch',
    tasks: [
      {
        label: 'catalog',
        taskName: 'Task.Linux.Scripts',
        optionOverrides: { commands: [{ downloadUrl: file, catalog: { source: 'version', format: 'json' } }] },
      },
    ],
  });
  const row = await it.launch('Graph.Test.Switch', {}, id);
  const program = (await send('GET', `${SWITCHES}/cisco?mac=02:cc:00:00:0e:01`)).body as string;
  t.regex(program, /^vendor cisco$/m);
  const [, path = ''] = /'http:\/\/[^/]+(\/api\/2\.0\/tasks\/[\w-]+\?key=[\w.-]+)'/.exec(program) ?? [];
  const { body: assignment } = await send('GET', path);
  t.like(assignment.tasks[0], { cmd: '', downloadUrl: file, source: 'version', format: 'json' });
  const text = JSON.stringify(JSON.stringify({ sys_ver_str: '7.0' }));
  const tasks = [{ ...assignment.tasks[0], stdout: text }];
  t.like((await send('POST', path, { body: { ...assignment, tasks } })).body, { tasks: [{ accepted: true }] });
  t.is((await it.finished(row.id)).status, 'succeeded');
  const { body: catalog } = await north.send('GET', `/api/current/nodes/${id}/catalogs/version`);
  t.deepEqual(catalog.data, { sys_ver_str: '7.0' });
});

test.serial('an error of a program of RackHD fails the task with its text', async (t) => {
  const { it } = t.context;
  const { send } = await serve(t, southbound, it.engine);
  const { id } = (await it.engine.nodes.find('02:cc:00:00:0e:01')) as { id: string };
  const row = await it.launch('Graph.Test.Switch', {}, id);
  await it.reached(row.id, 'catalog', 'waiting');
  const { body: assignment } = await send('GET', `/api/current/tasks/${id}`);
  const tasks = [{ ...assignment.tasks[0], error: 'no such command' }];
  await send('POST', `/api/current/tasks/${id}`, { body: { tasks } });
  const { status, error } = await it.finished(row.id);
  t.is(status, 'failed');
  t.regex(error?.message ?? '', /the command ended with 1, expected 0: no such command/);
});

test.serial('a shell on a switch runs the program, whose agent catalogs the switch', async (t) => {
  const { it } = t.context;
  const { send } = await serve(t, southbound, it.engine);
  const headers = { 'onie-eth-addr': '02:cc:00:00:0f:01' };
  const { body: program } = await send('GET', `${SWITCHES}/onie`, { headers });
  const node = (await it.engine.nodes.find('02:cc:00:00:0f:01')) as { id: string; active: { id: string } };
  const tools = folder(t);
  const facts =
    'case $1 in -p) echo x86_64-accton_as7726 ;; -s) echo AB12 ;; -e) echo 02:cc:00:00:0f:01 ;; -v) echo 2020.11 ;; esac';
  writeFileSync(join(tools, 'onie-sysinfo'), `#!/bin/sh\n${facts}\n`);
  chmodSync(join(tools, 'onie-sysinfo'), 0o755);
  startScript(t, program, { PATH: `${tools}:${process.env.PATH}` });
  t.is((await it.finished(node.active.id)).status, 'succeeded');
  const north = await serve(t, open, it.engine);
  const { body } = await north.send('GET', `/api/current/nodes/${node.id}/catalogs/version`);
  t.like(body.data, { vendor: 'onie', modelName: 'x86_64-accton_as7726', serialNumber: 'AB12', version: '2020.11' });
});
