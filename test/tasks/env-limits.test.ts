/** Values of `env` with limits: which tasks get them, and towards which hosts. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import anyTest, { type TestFn } from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine; server: Server; port: number; seen: string[] }>;

const SECRET = 'zq-calvin-9';
const env = {
  bmcPassword: { value: SECRET, tasks: ['Task.Run.Rest.Command'], hosts: ['127.0.0.1'] },
  forCommands: { value: SECRET, tasks: ['Task.Linux.Commands'] },
  forFiles: { value: SECRET, tasks: ['templates'] },
  place: 'rack 1',
};

test.before(async (t) => {
  const it = await openEngine({ env });
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.headers['x-auth']));
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  Object.assign(t.context, { it, server, seen, port: (server.address() as AddressInfo).port });
  const send = { label: 'it', taskName: 'Task.Run.Rest.Command' };
  const run = { label: 'it', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.Test.Send' } };
  for (const [name, task] of [
    ['Graph.Test.Send', send],
    ['Graph.Test.Parent', run],
  ] as const) {
    await it.engine.library.putGraph({ friendlyName: name, injectableName: name, tasks: [task] });
  }
});
test.after.always(async ({ context: { it, server } }) => {
  await it?.close();
  server?.closeAllConnections();
  server?.close();
});

const sending = (name: string, host: string, port: number) => ({
  it: { url: `http://${host}:${port}/`, headers: { 'x-auth': `{{ env.${name} }}` } },
});

test.serial('a value reaches its task and its host, and no other task and no other host', async (t) => {
  const { it, port, seen } = t.context;
  const sent = await it.finished((await it.launch('Graph.Test.Send', sending('bmcPassword', '127.0.0.1', port))).id);
  t.is(sent.status, 'succeeded', JSON.stringify(sent.error));
  t.deepEqual(seen, [SECRET]);
  for (const [name, host, reason] of [
    ['bmcPassword', '127.0.0.2', /a request to 127\.0\.0\.2, expected one to 127\.0\.0\.1/],
    ['bmcPassword', 'localhost', /a request to localhost/],
    ['forCommands', '127.0.0.1', /Task\.Run\.Rest\.Command, expected one of Task\.Linux\.Commands/],
  ] as const) {
    const row = await it.finished((await it.launch('Graph.Test.Send', sending(name, host, port))).id);
    t.like(row, { status: 'failed', error: { code: 'ENV_NOT_ALLOWED' } });
    t.regex(`${row.error?.message}`, reason);
    t.false(JSON.stringify(row).includes(SECRET));
  }
  t.deepEqual(seen, [SECRET], 'nothing else was sent');
});

test.serial('the limits of a value hold in a child workflow', async (t) => {
  const { it, port, seen } = t.context;
  const before = seen.length;
  const options = { it: { graphOptions: sending('bmcPassword', 'localhost', port) } };
  const row = await it.finished((await it.launch('Graph.Test.Parent', options)).id);
  t.is(row.status, 'failed');
  t.is(seen.length, before);
});

test.serial('a template gets only the values that are for templates', async (t) => {
  const { it } = t.context;
  const node = (await it.node()).id;
  const text = '<%- env.bmcPassword %> <%- env.forFiles %> <%- env.place %>';
  const file = { kind: 'template', name: 'limits', scope: null } as const;
  await it.engine.files.put(file, Readable.from([Buffer.from(text)]));
  t.is(await it.engine.files.template('limits', node), `REDACTED ${SECRET} rack 1`);
});

test.serial('the configuration shows the limits without the value', (t) => {
  const { env: shown } = t.context.it.engine.settings.shownConfig() as { env: Record<string, { value: string }> };
  t.false(JSON.stringify(shown).includes(SECRET));
  t.like(shown.forCommands, { value: 'REDACTED', tasks: ['Task.Linux.Commands'] });
});

test.serial('limits that are not understood prevent the start', async (t) => {
  for (const wrong of [
    { value: 'x', tasks: 'Task.A' },
    { value: 'x', hosts: [1] },
    { tasks: ['Task.A'] },
    { value: 'x', tasks: [], host: 'a' },
  ]) {
    await t.throwsAsync(openEngine({ env: { wrong } }), { message: /env\.wrong/ });
  }
});
