import test from 'ava';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound, openApi } from '../support/servers/api.ts';

const secrets = {
  mongodb: 'mongodb://user:hush-hush@one,two/things?authSource=hush-hush',
  redis: 'redis://:hush-hush@host:6379',
  amqp: 'amqp://user:hush-hush@host',
  authTokenSecret: 'hush-hush-hush-hush-hush-hush-hush-hush',
  env: { wifi: { password: 'hush-hush' }, dns: '10.0.0.1' },
};

test('the configuration is shown without its secrets, in 1.1 too', async (t) => {
  const { send, as } = await openApi(t, northbound, await fakeEngine(secrets));
  const token = await as('ReadOnly');
  const { status, body } = await send('GET', '/api/1.1/config', { token });
  t.is(status, 200);
  t.like(body, {
    mongodb: 'mongodb://REDACTED@one,two/things',
    redis: 'redis://REDACTED@host:6379',
    authTokenSecret: 'REDACTED',
    authTokenExpireIn: 3_600,
    heartbeatIntervalSec: 10,
    env: { wifi: { password: 'REDACTED' }, dns: '10.0.0.1' },
  });
  t.false(JSON.stringify(body).includes('hush'));
  t.deepEqual((await send('GET', '/api/current/config', { token })).body, body);
});

test('a setting that may change at runtime is changed, and takes effect immediately', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const body = { authTokenExpireIn: 77, log: { level: 'warn' }, servicePublicIp: '10.0.0.2' };
  const { status, body: config } = await send('PATCH', '/api/current/config', { token, body });
  t.is(status, 200);
  t.like(config, body);
  t.is((await send('GET', '/redfish/v1/SessionService')).body.SessionTimeout, 77);
});

test('settings that need a restart, unknown settings and invalid values are rejected, and nothing changes', async (t) => {
  const { send, as } = await openApi(t);
  const token = await as('Administrator');
  const before = (await send('GET', '/api/current/config', { token })).body;
  const rejected: [object, string][] = [
    [{ taskConcurrency: 5, authTokenExpireIn: 9 }, 'taskConcurrency'],
    [{ dataDir: '/x' }, 'dataDir'],
    [{ colour: 'red' }, 'colour'],
    [{ authTokenExpireIn: 'soon' }, 'authTokenExpireIn'],
    [{ log: { level: 'loud' } }, 'log.level'],
  ];
  for (const [body, path] of rejected) {
    const { status, body: answer } = await send('PATCH', '/api/1.1/config', { token, body });
    t.is(status, 400, path);
    t.is(answer.errors[0].path, path);
  }
  t.is((await send('PATCH', '/api/1.1/config', { token, body: {} })).status, 400);
  t.is((await send('PATCH', '/api/1.1/config', { token: await as('Operator'), body: { env: {} } })).status, 403);
  t.deepEqual((await send('GET', '/api/current/config', { token })).body, before);
});
