import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { credentialOf } from '../../api/auth/tokens.ts';
import type { UserRecord } from '../../engine/api-port/index.ts';
import { SESSIONS_PATH } from '../support/data/api-paths.ts';
import { openApi, PASSWORD } from '../support/servers/api.ts';

test('a session is created, listed as a member, and deleted; its token is then invalid', async (t) => {
  const { send, as } = await openApi(t);
  await as('ReadOnly', 'rita');
  const opened = await send('POST', SESSIONS_PATH, { body: { UserName: 'rita', Password: PASSWORD } });
  t.is(opened.status, 200);
  const token = opened.headers.get('x-auth-token') ?? '';
  const { Id } = opened.body;
  t.true(token.length > 20);
  t.is(opened.headers.get('location'), `${SESSIONS_PATH}/${Id}`);
  t.is(opened.headers.get('odata-version'), '4.0');
  t.deepEqual(opened.body, {
    '@odata.context': '/redfish/v1/$metadata#Session.Session',
    '@odata.id': `${SESSIONS_PATH}/${Id}`,
    '@odata.type': '#Session.v1_1_0.Session',
    Id,
    Name: 'User Session',
    Description: 'User Session',
    UserName: 'rita',
    Oem: {},
  });
  const headers = { 'x-auth-token': token };
  const members = [{ '@odata.id': `${SESSIONS_PATH}/${Id}` }];
  const list = await send('GET', SESSIONS_PATH, { headers });
  t.is(list.status, 200);
  t.like(list.body, { Members: members, 'Members@odata.count': 1, Name: 'Session Collection', Oem: {} });
  t.is((await send('GET', `${SESSIONS_PATH}/${Id}`, { headers })).body.Id, Id);
  const ended = await send('DELETE', `${SESSIONS_PATH}/${Id}`, { headers });
  t.is(ended.status, 204);
  t.is(ended.body, '');
  const after = await send('GET', SESSIONS_PATH, { headers });
  t.is(after.status, 401);
  t.deepEqual(after.body, {});
  t.is(after.headers.get('odata-version'), '4.0');
});

test('answers have the headers that the protocol requires, and another version of OData is 412', async (t) => {
  const { send, session } = await openApi(t);
  const headers = { 'x-auth-token': await session('ReadOnly') };
  for (const [path, allow, schema] of [
    ['/redfish/v1/', 'HEAD, GET', 'ServiceRoot'],
    [SESSIONS_PATH, 'HEAD, POST, GET', 'SessionCollection'],
  ] as const) {
    const got = await send('GET', path, { headers });
    t.is(got.headers.get('allow'), allow);
    t.is(got.headers.get('cache-control'), 'no-store');
    t.is(got.headers.get('link'), `<http://redfish.dmtf.org/schemas/v1/${schema}.json>; rel=describedby`);
    t.is((await send('GET', path, { headers: { ...headers, 'odata-version': '4.0' } })).status, 200);
    const rejected = await send('GET', path, { headers: { ...headers, 'odata-version': '4.1' } });
    t.is(rejected.status, 412);
    t.is(rejected.body.code, 'PRECONDITION_FAILED');
  }
});

test('a session may be created in the members of its collection; a method that does not exist is 501', async (t) => {
  const { send, as, port } = await openApi(t);
  await as('ReadOnly', 'rita');
  const body = { UserName: 'rita', Password: PASSWORD };
  t.is((await send('POST', `${SESSIONS_PATH}/Members`, { body })).status, 200);
  const socket = connect(port, '127.0.0.1');
  socket.write('FAKEMETHOD /redfish/v1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  t.regex(await text(socket), /^HTTP\/1\.1 501 /);
});

test('wrong credentials are 401 as text, too many 429; a missing and a made-up token are 401 with {}', async (t) => {
  const { send, as } = await openApi(t);
  await as('ReadOnly', 'wrongly');
  const body = { UserName: 'wrongly', Password: 'not-this-one' };
  const rejected = await send('POST', SESSIONS_PATH, { body });
  t.is(rejected.status, 401);
  t.regex(rejected.headers.get('content-type') ?? '', /^text\/plain/);
  t.is(rejected.headers.get('odata-version'), '4.0');
  t.is(rejected.body, 'Invalid username or password');
  t.is((await send('POST', SESSIONS_PATH, { body: { UserName: 'wrongly' } })).status, 400);
  const bad: Record<string, string>[] = [{}, { 'x-auth-token': '' }, { 'x-auth-token': 'made-up' }];
  for (const headers of bad) {
    const { status, body: answer } = await send('GET', SESSIONS_PATH, { headers });
    t.is(status, 401);
    t.deepEqual(answer, {});
  }
});

test('users see and delete their own sessions; ConfigureManager sees and deletes all', async (t) => {
  const { send, session, engine } = await openApi(t);
  const [mine, theirs, admin] = [
    await session('ReadOnly', 'a'),
    await session('ReadOnly', 'b'),
    await session('Administrator', 'c'),
  ];
  const other = (await engine.sessions.of(theirs))?.id;
  const as = (token: string) => ({ headers: { 'x-auth-token': token } });
  t.is((await send('GET', SESSIONS_PATH, as(mine))).body['Members@odata.count'], 1);
  t.is((await send('GET', `${SESSIONS_PATH}/${other}`, as(mine))).status, 404);
  t.is((await send('DELETE', `${SESSIONS_PATH}/${other}`, as(mine))).status, 404);
  t.is((await send('GET', SESSIONS_PATH, as(admin))).body['Members@odata.count'], 3);
  t.is((await send('DELETE', `${SESSIONS_PATH}/${other}`, as(admin))).status, 204);
  t.is((await send('GET', SESSIONS_PATH, as(theirs))).status, 401);
});

test('a session ends with its user, at its expiry, and with the right to log in', async (t) => {
  const { send, as, session, engine } = await openApi(t);
  const admin = await as('Administrator', 'root');
  const token = await session('ReadOnly', 'gone');
  await send('DELETE', '/api/current/users/gone', { token: admin });
  t.is((await send('GET', SESSIONS_PATH, { headers: { 'x-auth-token': token } })).status, 401);
  await as('ReadOnly', 'late');
  const credential = credentialOf((await engine.users.get('late')) as UserRecord);
  const { token: over } = await engine.sessions.open({ username: 'late', credential }, -1);
  t.is((await send('GET', SESSIONS_PATH, { headers: { 'x-auth-token': over } })).status, 401);
  const silent = await session('Silent', 'silent');
  await send('POST', '/api/current/roles', { token: admin, body: { role: 'Silent', privileges: ['Read'] } });
  t.is((await send('GET', SESSIONS_PATH, { headers: { 'x-auth-token': silent } })).status, 403);
  const body = { UserName: 'silent', Password: PASSWORD };
  t.is((await send('POST', SESSIONS_PATH, { body })).status, 403);
});

test('a session of a removed user is invalid for a new user of that name, even in the same second', async (t) => {
  const { send, session, engine } = await openApi(t);
  const token = await session('ReadOnly', 'twin');
  const before = (await engine.users.get('twin')) as UserRecord;
  await engine.users.remove('twin');
  await engine.users.create({ ...before, createdAt: new Date(Date.parse(before.createdAt) - 1).toISOString() });
  t.is((await send('GET', SESSIONS_PATH, { headers: { 'x-auth-token': token } })).status, 401);
});

test('the resources above the sessions are open: versions, root, service, OData', async (t) => {
  const { send } = await openApi(t);
  t.deepEqual((await send('GET', '/redfish')).body, { v1: '/redfish/v1/' });
  for (const path of ['/redfish/v1', '/redfish/v1/']) {
    const root = await send('GET', path);
    t.is(root.status, 200);
    t.is(root.body.Links.Sessions['@odata.id'], SESSIONS_PATH);
  }
  t.is((await send('GET', '/redfish/v1/SessionService')).body.Sessions['@odata.id'], SESSIONS_PATH);
  t.is((await send('GET', '/redfish/v1/odata')).body.value.length, 3);
  const metadata = await send('GET', '/redfish/v1/$metadata');
  t.is(metadata.status, 200);
  t.regex(metadata.headers.get('content-type') ?? '', /^application\/xml/);
});
