/** The log lines of requests. */
import test, { type ExecutionContext } from 'ava';
import { openEndpoint } from '../../api/endpoint/server.ts';
import type { Endpoint } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { logLines } from '../support/ava/log-lines.ts';
import { NODES_PATH } from '../support/data/api-paths.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound, openApi, PASSWORD, southbound } from '../support/servers/api.ts';

/** An endpoint with a log, and users of another one on the same engine. */
async function logged(t: ExecutionContext, endpoint: Endpoint = northbound) {
  const engine = await fakeEngine();
  const { as, send } = await openApi(t, northbound, engine);
  const { log, lines } = logLines();
  const listener = await openEndpoint(engine, endpoint, log);
  t.teardown(() => listener.close(0));
  const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    fetch(`http://127.0.0.1:${listener.port}${path}`, {
      method,
      headers: { connection: 'close', ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const requests = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  return { as, send, ask, lines, requests, engine };
}

test('the line of a request names the user, the address, the workflow and the request id', async (t) => {
  const { as, ask, lines, requests } = await logged(t);
  const token = await as('Operator', 'otto');
  const user = { authorization: `Bearer ${token}` };
  const answer = await ask('POST', '/api/current/workflows?name=Graph.Demo', { ...user, 'x-request-id': 'mine' }, {});
  const { id } = (await answer.json()) as { id: string };
  await ask('GET', `/api/current/workflows/${id}`, user);
  await ask('GET', NODES_PATH, user);
  await ask('GET', '/api/current/users', user);
  await ask('GET', NODES_PATH);
  await ask('POST', '/login', {}, { username: 'otto', password: PASSWORD });
  await ask('POST', '/login', {}, { username: 'hunter2', password: PASSWORD });
  const shown = requests().map(({ user: name, workflow, status }) => [name, workflow, status]);
  t.deepEqual(shown, [
    ['otto', id, 201],
    ['otto', id, 200],
    ['otto', undefined, 200],
    ['otto', undefined, 403],
    [undefined, undefined, 401],
    ['otto', undefined, 200],
    [undefined, undefined, 401],
  ]);
  t.is(requests()[0].requestId, 'mine');
  for (const { address } of requests()) t.is(address, '127.0.0.1');
  for (const secret of [token, PASSWORD, 'hunter2']) t.false(lines.join('').includes(secret));
});

test('health checks and reads of metrics have no line, on any endpoint', async (t) => {
  for (const endpoint of [northbound, southbound]) {
    const { ask, requests } = await logged(t, endpoint);
    for (const path of ['/healthz', '/readyz', '/metrics']) await ask('GET', path);
    await ask('HEAD', '/healthz');
    await ask('GET', '/healthz/x');
    t.deepEqual(
      requests().map(({ path }) => path),
      ['/healthz/x'],
    );
  }
});

test('a probe of a daemon that is not ready yet leaves no error in the log', async (t) => {
  const { ask, lines, engine } = await logged(t);
  engine.away = new NodewrightError('UNAVAILABLE', 'the daemon is starting');
  t.is((await ask('GET', '/readyz')).status, 503);
  t.deepEqual(
    lines.filter((line) => JSON.parse(line).level >= 40),
    [],
  );
});

test('behind a proxy the address is the one that the proxy added', async (t) => {
  const { ask, requests } = await logged(t, { ...northbound, proxiesEnabled: true });
  await ask('GET', NODES_PATH, { 'x-forwarded-for': '6.6.6.6, 10.1.2.3' });
  t.is(requests()[0].address, '10.1.2.3');
});
