/** /nodes/:identifier/console: the serial console of a machine as users see it, on an ipmitool that behaves as the real one. */
import test, { type ExecutionContext } from 'ava';
import { fakeIpmitool } from '../support/bmcs/fake-ipmitool.ts';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

const PASSWORD = 'calvin-and-hobbes';
const obm = { service: 'ipmi-obm-service' as const, config: { host: '127.0.0.1', user: 'root', password: PASSWORD } };

async function scene(t: ExecutionContext) {
  const machine = fakeIpmitool(t);
  const it = await openEngine();
  t.teardown(() => it.close());
  const { send, as, port } = await serve(t, northbound, it.engine);
  const token = await as('Administrator', 'alice');
  const { id: node } = await it.engine.nodes.create({ type: 'compute', name: 'n', obms: [obm] });
  const call = (method: string, path: string, body?: unknown, by = token) =>
    send(method, `/api/current/nodes/${node}/console${path}`, { token: by, ...(body !== undefined && { body }) });
  const connected = () => it.until(async () => (await call('GET', '')).body.state === 'connected');
  const lines = (count: number) => it.until(async () => (await call('GET', '')).body.seq >= count);
  return { it, machine, node, call, connected, lines, as, send, token, port };
}

test.serial('a console is switched on, read in pages, followed from a position, and switched off', async (t) => {
  const { machine, node, call, connected, lines, token, port } = await scene(t);
  const off = { source: null, state: 'off', since: null, error: null, lines: 0, seq: 0 };
  t.deepEqual((await call('GET', '')).body, off);
  const made = await call('PUT', '', { source: 'ipmi' });
  t.is(made.status, 200);
  t.like(made.body, { source: 'ipmi', state: 'connecting', error: null });
  await connected();
  machine.write(`\u001b[1mBIOS\u001b[0m\r\n<script>alert(1)</script>\r\npassword=${PASSWORD}\r\n`);
  await lines(3);
  const first = await call('GET', '/log?limit=2');
  t.deepEqual(
    first.body.map(({ seq, text, kind }: Record<string, unknown>) => ({ seq, text, kind })),
    [
      { seq: 1, text: 'BIOS', kind: 'output' },
      { seq: 2, text: '<script>alert(1)</script>', kind: 'output' },
    ],
  );
  t.regex(first.headers.get('link') ?? '', /console\/log\?limit=2&after=2>; rel="next"/);
  const second = await call('GET', '/log?limit=2&after=2');
  t.like(second.body, [{ seq: 3, text: 'password=REDACTED' }]);
  t.is(second.headers.get('link'), null);
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${token}`, 'last-event-id': '2' };
  const stream = await fetch(`http://127.0.0.1:${port}/api/current/nodes/${node}/console/stream`, {
    headers,
    signal: stop.signal,
  });
  t.is(stream.headers.get('content-type'), 'text/event-stream');
  machine.write('later\r\n');
  let text = '';
  for await (const bytes of stream.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(bytes).toString();
    if (text.includes('later')) break;
  }
  stop.abort();
  t.regex(text, /id: 3\nevent: line\ndata: \{"seq":3,[^\n]+\n\nid: 4\nevent: line\ndata: \{"seq":4,.*"text":"later"/s);
  t.is((await call('DELETE', '')).status, 204);
  t.like((await call('GET', '')).body, { source: null, state: 'off', lines: 4, seq: 4 });
  t.is((await call('DELETE', '')).status, 204);
});

test.serial(
  'only the right ConsoleInput types; the audit log has the number of characters, never the text',
  async (t) => {
    const { it, machine, call, connected, as, send, token } = await scene(t);
    const text = 'hunter2hunter2\r';
    t.like((await call('POST', '/input', { text })).body, { code: 'CONSOLE_UNCONNECTED', status: 409 });
    await call('PUT', '', { source: 'ipmi' });
    await connected();
    const operator = await as('Operator');
    t.is((await call('POST', '/input', { text }, operator)).status, 403);
    t.is((await call('GET', '/log', undefined, operator)).status, 200);
    await send('POST', '/api/current/roles', {
      token,
      body: { role: 'Writer', privileges: ['Read', 'Write', 'Login'] },
    });
    t.is((await call('POST', '/input', { text }, await as('Writer'))).status, 403);
    t.is((await call('POST', '/input', { text })).status, 202);
    await it.until(() => machine.typed === text);
    // The interface document says what the record of this role lists.
    const { body: role } = await send('GET', '/api/current/roles/Administrator', { token });
    t.false((role as { privileges: string[] }).privileges.includes('ConsoleInput'));
    t.is((await call('POST', '/input', { text: 'a\u001db' })).status, 400);
    t.is((await call('POST', '/input', { text: 'x'.repeat(1_025) })).status, 400);
    const entries = await it.engine.audit.list(0, 1_000);
    t.like(
      entries.find(({ path, status }) => path.endsWith('/input') && status === 202),
      { user: 'alice', inputLength: 15 },
    );
    t.false(JSON.stringify(entries).includes('hunter2'));
  },
);

test.serial('no password is in a command line, and the console ends with its node', async (t) => {
  const { it, machine, node, call, connected, lines } = await scene(t);
  await call('PUT', '', { source: 'ipmi' });
  await connected();
  machine.write('x\n');
  await lines(1);
  t.true(machine.commands.some((line) => line.includes('-E') && line.endsWith('sol activate')));
  t.false(machine.commands.some((line) => line.includes(PASSWORD)));
  await it.engine.nodes.remove(node);
  t.is((await call('GET', '')).status, 404);
  t.deepEqual(await it.engine.consoles.log(node, 0, 10), []);
});

test.serial('a node without such an obm cannot be captured', async (t) => {
  const { it, send, token, call } = await scene(t);
  const { id } = await it.engine.nodes.create({ type: 'compute', name: 'bare' });
  const body = { source: 'ipmi' };
  t.like((await send('PUT', `/api/current/nodes/${id}/console`, { token, body })).body, {
    code: 'OBM_MISSING',
    status: 409,
  });
  t.is((await call('PUT', '', { source: 'ssh' })).status, 400);
});

test.serial(
  'why has the newest lines of a machine that has to report, and none when nothing is captured',
  async (t) => {
    const { it, machine, node, call, connected, lines, send, token } = await scene(t);
    const { id } = await it.engine.launches.launch({ name: 'Graph.Demo.InstallOs', options: {}, nodeId: node });
    const why = async () => (await send('GET', `/api/current/workflows/${id}/why`, { token })).body;
    t.like(await why(), { console: null, capture: null });
    await call('PUT', '', { source: 'ipmi' });
    await connected();
    machine.write(Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join(''));
    await lines(30);
    const { console: shown, capture } = await why();
    t.deepEqual(
      shown.map(({ text }: { text: string }) => text),
      Array.from({ length: 10 }, (_, index) => `line ${index + 20}`),
    );
    t.like(capture, { source: 'ipmi', state: 'connected', error: null });
    t.deepEqual((await send('GET', `/api/current/nodes/${node}/why`, { token })).body.console, shown);
    await it.engine.control.cancel(id);
    await it.finished(id);
    t.like(await why(), { console: null, capture: null });
  },
);
