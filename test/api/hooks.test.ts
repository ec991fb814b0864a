import test from 'ava';
import { openApi } from '../support/servers/api.ts';

const HOOKS = '/api/current/hooks';

test('a hook is created, listed, read, changed and removed; its secret is stored encrypted and never shown', async (t) => {
  const { send, as, engine } = await openApi(t);
  const token = await as('Administrator');
  const filters = [{ type: 'node', action: '^discovered$' }];
  const made = await send('POST', HOOKS, {
    token,
    body: { url: 'https://receiver.test/events', filters, secret: 'very-secret', rejectUnauthorized: false },
  });
  t.is(made.status, 201);
  const { id, createdAt, updatedAt, ...rest } = made.body;
  t.deepEqual(rest, { url: 'https://receiver.test/events', name: null, filters, rejectUnauthorized: false });
  t.is(made.headers.get('location'), `/api/2.0/hooks/${id}`);
  t.is(createdAt, updatedAt);
  t.deepEqual((await send('GET', `/api/2.0/hooks/${id}`, { token })).body, made.body);
  t.deepEqual((await send('GET', `${HOOKS}?name=x`, { token })).body, []);
  const changed = await send('PATCH', `${HOOKS}/${id}`, { token, body: { name: 'x', filters: [] } });
  t.like(changed.body, { id, name: 'x', filters: [], createdAt });
  t.deepEqual((await send('GET', `${HOOKS}?name=x`, { token })).body, [changed.body]);
  t.false(JSON.stringify(await engine.stored('hooks')).includes('very-secret'));
  t.deepEqual((await send('GET', `${HOOKS}/${id}/deliveries`, { token })).body, []);
  const back = { secret: null, rejectUnauthorized: true, name: null };
  t.false('rejectUnauthorized' in (await send('PATCH', `${HOOKS}/${id}`, { token, body: back })).body);
  t.like((await engine.stored('hooks'))[0], { secret: null });
  t.is((await send('DELETE', `${HOOKS}/${id}`, { token })).status, 204);
  t.is((await send('GET', `${HOOKS}/${id}`, { token })).status, 404);
});

test('a hook has a format, and for PagerDuty its key, after each change', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const url = 'https://events.pagerduty.com/v2/enqueue';
  const keyless = await send('POST', HOOKS, { token, body: { url, format: 'pagerduty' } });
  t.is(keyless.status, 400);
  t.is(keyless.body.errors[0].path, 'secret');
  t.is((await send('POST', HOOKS, { token, body: { url, format: 'irc' } })).status, 400);
  const made = await send('POST', HOOKS, { token, body: { url, format: 'pagerduty', secret: 'a key' } });
  t.is(made.body.format, 'pagerduty');
  const change = (body: object) => send('PATCH', `${HOOKS}/${made.body.id}`, { token, body });
  t.is((await change({ secret: null })).status, 400);
  t.is((await change({ format: 'slack', secret: null })).body.format, 'slack');
  t.is((await change({ format: 'pagerduty' })).status, 400);
  t.false('format' in (await change({ format: null })).body);
});

test('a bad url, expression, certificate or key is rejected with its path, when a hook is created or changed', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const { body: hook } = await send('POST', HOOKS, { token, body: { url: 'http://receiver.test' } });
  const bad: [path: string, body: object][] = [
    ['url', { url: 'receiver' }],
    ['url', { url: 'ftp://receiver.test' }],
    ['url', { url: 'http://user:secret@receiver.test' }],
    ['url', { url: '' }],
    ['url', { url: 7 }],
    ['filters.1.action', { filters: [{ type: 'node' }, { action: '(' }] }],
    ['filters.0.data', { filters: [{ data: 'x' }] }],
    ['filters.0.any', { filters: [{ any: 'x' }] }],
    ['filters.0.type', { filters: [{ type: 'x'.repeat(2_000) }] }],
    ['filters.0.type', { filters: [{ type: 1 }] }],
    ['ca', { ca: 'no certificate' }],
    ['secret', { secret: '' }],
    ['secret', { secret: 'whsec_' }],
    ['secret', { secret: 'whsec_a key' }],
    ['secret', { secret: 'whsec_TWZLUQ' }],
    ['id', { id: 'mine' }],
  ];
  for (const [path, body] of bad) {
    const said = JSON.stringify(body);
    for (const [method, at] of [
      ['POST', HOOKS],
      ['PATCH', `${HOOKS}/${hook.id}`],
    ] as const) {
      const answer = await send(method, at, {
        token,
        body: { ...(method === 'POST' && { url: 'http://a.test' }), ...body },
      });
      t.is(answer.status, 400, said);
      t.true(
        answer.body.errors.some((fault: { path: string }) => fault.path === path),
        JSON.stringify(answer.body),
      );
      t.false(JSON.stringify(answer.body).includes('user:secret'));
    }
  }
  t.is((await send('POST', HOOKS, { token, body: {} })).status, 400);
  t.deepEqual((await send('GET', HOOKS, { token })).body, [hook]);
});

test('an expression that would run forever in other engines is accepted', async (t) => {
  const { send, as } = await openApi(t);
  const body = { url: 'http://receiver.test', filters: [{ type: '^(([a-z])+.)+[A-Z]([a-z])+$' }] };
  t.is((await send('POST', HOOKS, { token: await as('Administrator'), body })).status, 201);
});

test('a url has one hook, in any spelling', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const make = (url: string) => send('POST', HOOKS, { token, body: { url } });
  t.is((await make('http://receiver.test')).status, 201);
  for (const url of ['http://receiver.test', 'http://RECEIVER.test:80/', 'http://receiver.test/#x']) {
    const { status, body } = await make(url);
    t.is(status, 409, url);
    t.is(body.code, 'DUPLICATE');
  }
  const { body: other } = await make('http://receiver.test/other');
  const taken = await send('PATCH', `${HOOKS}/${other.id}`, { token, body: { url: 'http://receiver.test/' } });
  t.is(taken.status, 409);
  t.is((await send('PATCH', `${HOOKS}/${other.id}`, { token, body: { url: other.url } })).status, 200);
});

test('hooks are limited to the number that each process can hold', async (t) => {
  const { send, as, engine } = await openApi(t);
  for (let n = 0; n < 500; n += 1) await engine.hooks.create({ url: `http://receiver.test/${n}` });
  const answer = await send('POST', HOOKS, { token: await as('Administrator'), body: { url: 'http://receiver.test' } });
  t.is(answer.status, 409);
  t.is(answer.body.code, 'CONFLICT');
});

test('hooks are read with Read or ConfigureComponents, and changed with Write only', async (t) => {
  const { send, as } = await openApi(t);
  const body = { url: 'http://receiver.test' };
  for (const [role, reads, writes] of [
    ['Administrator', 200, 201],
    ['ReadOnly', 200, 403],
    ['Operator', 200, 403],
    ['Nobody', 403, 403],
  ] as const) {
    const token = await as(role);
    t.is((await send('GET', HOOKS, { token })).status, reads, role);
    t.is((await send('POST', HOOKS, { token, body })).status, writes, role);
  }
});

test('a test and a redelivery are accepted for hooks and deliveries that exist', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const filters = [{ status: '^failed$', graphName: 'Erase' }];
  const { body: hook } = await send('POST', HOOKS, { token, body: { url: 'http://receiver.test', filters } });
  t.deepEqual(hook.filters, filters);
  const { status, body: delivery } = await send('POST', `${HOOKS}/${hook.id}/test`, { token });
  t.is(status, 202);
  t.like(delivery, { state: 'waiting', type: 'hook', action: 'test', attempts: 0 });
  t.deepEqual((await send('GET', `${HOOKS}/${hook.id}/deliveries`, { token })).body, [delivery]);
  const again = await send('POST', `${HOOKS}/${hook.id}/deliveries/${delivery.id}/redeliver`, { token });
  t.is(again.status, 202);
  t.is(again.body.id, delivery.id);
  for (const path of [
    'none/test',
    `${hook.id}/deliveries/none/redeliver`,
    `none/deliveries/${delivery.id}/redeliver`,
  ]) {
    t.is((await send('POST', `${HOOKS}/${path}`, { token })).status, 404, path);
  }
  const bad = [{ data: 'x' }];
  t.is((await send('PATCH', `${HOOKS}/${hook.id}`, { token, body: { filters: bad } })).status, 400);
});
