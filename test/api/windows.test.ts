/** /windows: the times at which changes may begin, as users see them. */
import test from 'ava';
import { openApi } from '../support/servers/api.ts';

const nights = {
  name: 'nights',
  zone: 'Europe/Berlin',
  spans: [{ days: ['sat', 'sun'], from: '22:00', to: '05:00' }],
};
const always = { days: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'], from: '00:00', to: '24:00' };

test('a window is created, read, changed and deleted by a manager, and read by an operator', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const call = (method: string, path: string, body?: unknown, by = token) =>
    send(method, `/api/current/windows${path}`, { token: by, ...(body !== undefined && { body }) });
  const made = await call('POST', '', nights);
  t.is(made.status, 201);
  const { id } = made.body;
  t.is(made.headers.get('location'), `/api/2.0/windows/${id}`);
  t.like(made.body, { ...nights, closed: [], leadMinutes: 0, createdBy: 'Administrator' });
  t.is(typeof made.body.next.opensAt, 'string');
  t.is('closesAt' in made.body, made.body.open);
  const operator = await as('Operator');
  t.is((await call('GET', `/${id}`, undefined, operator)).status, 200);
  t.is((await call('POST', '', nights, operator)).status, 403);
  t.like((await call('PATCH', `/${id}`, { spans: [always] })).body, { open: true, closesAt: null, next: null });
  const closed = [{ from: '2000-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', reason: 'frozen' }];
  const frozen = await call('PATCH', `/${id}`, { closed });
  t.like(frozen.body, { open: false, next: { opensAt: '2099-01-01T00:00:00.000Z', closesAt: null } });
  t.false('closesAt' in frozen.body);
  t.deepEqual((await call('GET', '?name=nights')).body, [frozen.body]);
  t.is((await call('DELETE', `/${id}`)).status, 204);
  for (const method of ['GET', 'DELETE']) t.is((await call(method, `/${id}`)).status, 404);
});

test('a window in use is not deleted', async (t) => {
  const { engine } = await openApi(t);
  const { id } = await engine.windows.create(nights as Parameters<typeof engine.windows.create>[0]);
  const windows = engine.windows as unknown as { addUse(use: (window: string) => Promise<string | undefined>): void };
  let isUsed = true;
  windows.addUse(async (window) => (isUsed && window === id ? 'the rollout r' : undefined));
  await t.throwsAsync(() => engine.windows.remove(id), { code: 'CONFLICT', message: /the rollout r/ });
  isUsed = false;
  t.true(await engine.windows.remove(id));
});

test('a window that makes no sense is rejected, with the path', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const span = nights.spans[0];
  const bad: [object, string][] = [
    [{ ...nights, zone: 'Europe/Atlantis' }, 'zone'],
    [{ ...nights, zone: '+01:00' }, 'zone'],
    [{ ...nights, spans: [] }, 'spans'],
    [{ ...nights, spans: [{ ...span, days: [] }] }, 'spans.0.days'],
    [{ ...nights, spans: [{ ...span, days: ['someday'] }] }, 'spans.0.days.0'],
    [{ ...nights, spans: [{ ...span, from: '24:01' }] }, 'spans.0.from'],
    [{ ...nights, spans: [{ ...span, to: '5:00' }] }, 'spans.0.to'],
    [{ ...nights, closed: [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }] }, 'closed.0.to'],
    [{ ...nights, closed: [{ from: 'soon', to: 'later' }] }, 'closed.0.from'],
    [{ ...nights, leadMinutes: -1 }, 'leadMinutes'],
    [{ zone: 'UTC', spans: nights.spans }, 'name'],
  ];
  for (const [body, path] of bad) {
    const answer = await send('POST', '/api/current/windows', { token, body });
    t.is(answer.status, 400, path);
    t.true(
      (answer.body.errors as { path: string }[]).some((error) => error.path === path),
      `${path}: ${JSON.stringify(answer.body.errors)}`,
    );
  }
});

test('the next openings of a window are computed before it is stored, for users who may make one', async (t) => {
  const { send, as } = await openApi(t);
  const preview = async (role: string, body: object) =>
    send('POST', '/api/current/windows/preview', { token: await as(role), body });
  const closed = [{ from: '2000-01-01T00:00:00Z', to: '2099-06-01T00:00:00Z' }];
  const times = { zone: nights.zone, spans: nights.spans, closed };
  const { status, body } = await preview('Administrator', times);
  t.is(status, 200);
  t.is(body.next.length, 5);
  t.deepEqual(body.next.slice(0, 2), [
    // The rest of a night after the closure.
    { opensAt: '2099-06-01T00:00:00.000Z', closesAt: '2099-06-01T03:00:00.000Z' },
    { opensAt: '2099-06-06T20:00:00.000Z', closesAt: '2099-06-07T03:00:00.000Z' },
  ]);
  t.like(await preview('Administrator', { ...times, zone: 'Europe/Atlantis' }), {
    status: 400,
    body: { errors: [{ path: 'zone' }] },
  });
  t.is((await preview('Operator', times)).status, 403);
  t.deepEqual((await send('GET', '/api/current/windows', { token: await as('Administrator') })).body, []);
});
