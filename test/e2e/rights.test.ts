/** Two daemons on one Redis and one MongoDB: rights and records are the same on both immediately. */
import anyTest from 'ava';
import { type StoredUser, userSpec } from '../../engine/operations/users/user-requests.ts';
import { RedisEpoch } from '../../engine/platform/cluster/redis-epoch.ts';
import { openMongoStore } from '../../engine/platform/store/mongodb.ts';
import { needing } from '../support/ava/needs.ts';
import { SESSIONS_PATH } from '../support/data/api-paths.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { connectedTo } from '../support/engine/redis-cluster.ts';
import { type Api, northbound, PASSWORD, serve } from '../support/servers/api.ts';
import { type MongoDb, noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { noRedis, type RedisServer, startRedis } from '../support/servers/redis.ts';

const test = needing(noRedis ?? noMongoDb);

let redis: RedisServer;
let mongodb: MongoDb;
const engines: TestEngine[] = [];

anyTest.before(async () => {
  if (noRedis ?? noMongoDb) return;
  redis = await startRedis();
  mongodb = await openMongoDb();
  for (let n = 0; n < 2; n += 1) engines.push(await openEngine({ redis: redis.url, mongodb: mongodb.url }));
});

anyTest.after.always(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  await redis?.stop();
  await mongodb?.stop();
});

type Daemon = Api<TestEngine['engine']>;

test.serial('users, roles, tokens and sessions of one daemon are effective on the other immediately', async (t) => {
  const [one, two] = (await Promise.all(engines.map(({ engine }) => serve(t, northbound, engine)))) as [Daemon, Daemon];
  const first = (username: string) => ({ body: { username, password: PASSWORD, role: 'Administrator' } });
  const tries = await Promise.all([
    one.send('POST', '/api/current/users', first('a')),
    two.send('POST', '/api/current/users', first('b')),
  ]);
  t.deepEqual(tries.map(({ status }) => status).sort(), [201, 401]);
  const admin = await one.as('Administrator', tries[0]?.status === 201 ? 'a' : 'b');
  const role = { role: 'Guest', privileges: ['Read', 'Login'] };
  t.is((await one.send('POST', '/api/current/roles', { token: admin, body: role })).status, 201);
  const guest = { username: 'guest', password: PASSWORD, role: 'Guest' };
  t.is((await two.send('POST', '/api/current/users', { token: admin, body: guest })).status, 201);
  const { token } = (await one.send('POST', '/login', { body: { username: 'guest', password: PASSWORD } })).body;
  const looks = async () => [
    (await one.send('GET', '/api/current/nodes', { token })).status,
    (await two.send('GET', '/api/current/nodes', { token })).status,
  ];
  t.deepEqual(await looks(), [200, 200]);
  const opened = await two.send('POST', SESSIONS_PATH, { body: { UserName: 'guest', Password: PASSWORD } });
  const headers = { 'x-auth-token': opened.headers.get('x-auth-token') ?? '' };
  t.is((await one.send('GET', SESSIONS_PATH, { headers })).status, 200);
  await two.send('PATCH', '/api/current/roles/Guest', { token: admin, body: { privileges: ['Login'] } });
  t.deepEqual(await looks(), [403, 403]);
  await one.send('PATCH', '/api/current/users/guest', { token: admin, body: { role: 'Operator' } });
  t.deepEqual(await looks(), [200, 200]);
  t.is((await one.send('DELETE', opened.body['@odata.id'], { headers })).status, 204);
  t.is((await two.send('GET', SESSIONS_PATH, { headers })).status, 401);
  await two.send('DELETE', '/api/current/users/guest', { token: admin });
  t.deepEqual(await looks(), [401, 401]);
});

test.serial('a node is taken through one daemon or removed through the other, never both', async (t) => {
  const open = { ...northbound, authEnabled: false };
  const [one, two] = (await Promise.all(engines.map(({ engine }) => serve(t, open, engine)))) as [Daemon, Daemon];
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    ids.push((await one.send('POST', '/api/current/nodes', { body: { type: 'compute', name: `n${n}` } })).body.id);
  }
  const ends = ids.map(async (id) => {
    const answers = await Promise.all([
      one.send('POST', `/api/current/nodes/${id}/workflows?name=Graph.Demo.InstallOs`),
      two.send('DELETE', `/api/current/nodes/${id}`),
      one.send('POST', `/api/current/nodes/${id}/catalogs`, { body: { source: 's', data: {} } }),
    ]);
    return answers.map(({ status }) => status);
  });
  for (const [n, [launched, removed, catalog]] of (await Promise.all(ends)).entries()) {
    const there = launched === 201;
    t.deepEqual([launched, removed], there ? [201, 409] : [404, 204]);
    t.true(catalog === 201 || (!there && catalog === 404));
    t.is((await two.send('GET', `/api/current/nodes/${ids[n]}`)).status, there ? 200 : 404);
    t.is((await two.send('GET', `/api/current/workflows?node=${ids[n]}`)).body.length, there ? 1 : 0);
    t.is((await one.send('GET', `/api/current/catalogs?node=${ids[n]}`)).body.length, there ? 1 : 0);
  }
});

test.serial('a launch reads no node that has had one, and rejects one that the other daemon removed', async (t) => {
  const open = { ...northbound, authEnabled: false };
  const [one, two] = (await Promise.all(engines.map(({ engine }) => serve(t, open, engine)))) as [Daemon, Daemon];
  const { id } = (await one.send('POST', '/api/current/nodes', { body: { type: 'compute', name: 'busy' } })).body;
  const path = `/api/current/nodes/${id}/workflows?name=Graph.Fixture.Plain`;
  const launched = await one.send('POST', path);
  t.is(launched.status, 201);
  await engines[0]?.finished(launched.body.id);
  const { nodes } = one.engine;
  const { idOf } = nodes;
  t.teardown(() => Object.assign(nodes, { idOf }));
  const reads: string[] = [];
  Object.assign(nodes, {
    idOf(identifier: string) {
      reads.push(identifier);
      return idOf.call(nodes, identifier);
    },
  });
  const again = await one.send('POST', path);
  t.is(again.status, 201);
  t.deepEqual(reads, []);
  await engines[0]?.finished(again.body.id);
  t.is((await two.send('DELETE', `/api/current/nodes/${id}`)).status, 204);
  const { status, body } = await one.send('POST', path);
  t.deepEqual([status, body.message], [404, `Could not find node with identifier ${id}`]);
  t.deepEqual(reads, []);
  t.is((await one.send('GET', `/api/current/workflows?active=true&node=${id}`)).body.length, 0);
  t.is((await one.send('POST', path)).status, 404);

  const alone = await one.send('POST', '/api/current/workflows?name=Graph.Demo.InstallOs');
  t.is(alone.status, 201);
  const onWorkflow = `/api/current/nodes/${alone.body.id}/workflows?name=Graph.Fixture.Plain`;
  t.is((await one.send('POST', onWorkflow)).status, 404, 'a workflow without a node is no node');
  await one.send('PUT', `/api/current/workflows/${alone.body.id}/action`, { body: { command: 'cancel' } });
});

test.serial('a token that one daemon ended is invalid on the other immediately', async (t) => {
  const [one, two] = (await Promise.all(engines.map(({ engine }) => serve(t, northbound, engine)))) as [Daemon, Daemon];
  const admin = await one.as('Administrator', 'root');
  const user = await one.as('Operator', 'pat');
  const status = async ({ send }: Daemon, token: string) => (await send('GET', '/api/current/nodes', { token })).status;
  const seen = async (token: string) => [await status(one, token), await status(two, token)];
  const made = async (daemon: Daemon) => {
    const answer = await daemon.send('POST', '/api/current/users/pat/tokens', { token: user, body: { note: 'x' } });
    return answer.body as { id: string; token: string };
  };

  const removed = await made(one);
  t.deepEqual(await seen(removed.token), [200, 200]);
  const list = await two.send('GET', '/api/current/users/pat/tokens', { token: user });
  t.deepEqual(
    list.body.map(({ id }: { id: string }) => id),
    [removed.id],
  );
  t.is((await two.send('DELETE', `/api/current/users/pat/tokens/${removed.id}`, { token: user })).status, 204);
  t.deepEqual(await seen(removed.token), [401, 401]);

  const login = await one.as('Operator', 'pat');
  t.deepEqual(await seen(login), [200, 200]);
  t.is((await one.send('DELETE', '/login', { token: login })).status, 204);
  t.deepEqual(await seen(login), [401, 401]);

  const before = await made(two);
  const changed = await one.send('PATCH', '/api/current/users/pat', {
    token: admin,
    body: { password: 'other-horse' },
  });
  t.is(changed.status, 200);
  t.deepEqual(await seen(before.token), [401, 401]);
  t.deepEqual(await seen(user), [401, 401]);
  t.true((await two.send('GET', '/api/current/audit/verify', { token: admin })).body.ok);
});

test.serial(
  'a write of a process that was killed before its answer is seen by the next request to each daemon',
  async (t) => {
    const daemons = await Promise.all(engines.map(({ engine }) => serve(t, northbound, engine)));
    const [one] = daemons as [Daemon];
    const token = await one.as('Operator', 'sam');
    const seen = () =>
      Promise.all(
        daemons.map(async ({ send }) => (await send('GET', '/api/current/users/sam/tokens', { token })).status),
      );
    t.deepEqual(await seen(), [200, 200]);
    const connections = await connectedTo(t, redis.url);
    const store = await openMongoStore(mongodb.url, { info() {}, warn() {} });
    t.teardown(() => store.close());
    const users = await store.collection<StoredUser>(userSpec);
    await new Promise<void>((begun) => {
      void new RedisEpoch(connections, 'access').change(() => {
        begun();
        return new Promise(() => {});
      });
    });
    await connections.close();
    t.deepEqual(await seen(), [200, 200]);
    await users.update({ id: 'sam' }, { $set: { role: 'None' } });
    t.deepEqual(await seen(), [403, 403]);
    await users.update({ id: 'sam' }, { $set: { password: 'another' } });
    t.deepEqual(await seen(), [401, 401]);
  },
);

test.serial('without Redis, what one daemon ended is invalid on the other immediately', async (t) => {
  const [one, two] = (await Promise.all(engines.map(({ engine }) => serve(t, northbound, engine)))) as [Daemon, Daemon];
  const admin = await one.as('Administrator', 'root');
  const login = await one.as('Operator', 'kim');
  const path = '/api/current/users/kim';
  const { body } = await one.send('POST', `${path}/tokens`, { token: login, body: { note: 'x' } });
  const status = async (token: string) => (await two.send('GET', `${path}/tokens`, { token })).status;
  t.deepEqual([await status(login), await status(body.token)], [200, 200]);
  await redis.kill();
  t.deepEqual([await status(login), await status(body.token)], [200, 200]);
  t.is((await one.send('DELETE', `${path}/tokens/${body.id}`, { token: login })).status, 204);
  t.deepEqual([await status(login), await status(body.token)], [200, 401]);
  await redis.start();
  t.deepEqual([await status(login), await status(body.token)], [200, 401]);
  await redis.kill();
  t.is((await one.send('PATCH', path, { token: admin, body: { password: 'other-horse' } })).status, 200);
  t.is(await status(login), 401);
  await redis.start();
  t.is(await status(login), 401);
});
