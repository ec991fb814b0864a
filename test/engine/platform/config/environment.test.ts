import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Config, readConfig } from '../../../../engine/platform/config/config.ts';
import { secretVariables } from '../../../../engine/platform/config/environment.ts';
import { folder } from '../../../support/ava/folder.ts';

const KEY = 'k'.repeat(32);
const values = {
  mongodb: 'mongodb://user:hush@host/db',
  redis: 'rediss://:hush@host:6379',
  amqp: 'amqps://user:hush@host',
  authTokenSecret: KEY,
};

function scene(t: ExecutionContext) {
  const dir = folder(t);
  const warnings: string[] = [];
  return {
    dir,
    warnings,
    file(name: string, content: string | Buffer, mode = 0o400): string {
      writeFileSync(join(dir, name), content);
      chmodSync(join(dir, name), mode);
      return name;
    },
    read: (env: NodeJS.ProcessEnv): Config => readConfig(env, dir, {}, [], (line) => void warnings.push(line)),
  };
}

for (const [key, name] of Object.entries(secretVariables) as [keyof typeof values, string][]) {
  test(`${name} can be in a file, which its ${name}_FILE names`, (t) => {
    const { dir, file, read, warnings } = scene(t);
    const value = values[key];
    const expected = key === 'authTokenSecret' ? [value] : value;
    const path = file('secret', `${value}\n`);
    t.deepEqual(read({ [name]: value })[key], expected);
    t.deepEqual(read({ [`${name}_FILE`]: path })[key], expected, 'relative to the working directory');
    t.deepEqual(read({ [`${name}_FILE`]: join(dir, path), [name]: '' })[key], expected);
    t.deepEqual(warnings, []);
    file('config.json', JSON.stringify({ [key]: key === 'authTokenSecret' ? 'o'.repeat(32) : value }));
    t.deepEqual(read({ [`${name}_FILE`]: path })[key], expected, 'overrides the configuration file');
  });
}

test('a secret file that cannot be used prevents the start with one line, which contains no part of it', (t) => {
  const { dir, file, read } = scene(t);
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  const rejected: [NodeJS.ProcessEnv, RegExp][] = [
    [{ REDIS_URL_FILE: 'none' }, /REDIS_URL_FILE: .*none cannot be read \(ENOENT\); correct the path$/],
    [{ REDIS_URL_FILE: '.' }, /is not a file/],
    [{ REDIS_URL_FILE: 'pipe' }, /is not a file/],
    [{ REDIS_URL_FILE: file('empty', ' \n') }, /is empty; write the secret into it$/],
    [{ REDIS_URL_FILE: file('large', Buffer.alloc(64 * 1024 + 1, 'hush')) }, /has more than 64 KiB/],
    [{ REDIS_URL_FILE: file('wrong', 'hush://hush') }, /redis is a string that is not shown, expected a URL/],
    [
      { REDIS_URL: values.redis, REDIS_URL_FILE: file('both', values.redis) },
      /REDIS_URL and REDIS_URL_FILE are both set/,
    ],
    [{ NODEWRIGHT_AUTH_TOKEN_SECRET_FILE: file('short', `${KEY}\nhush\n`) }, /at least 32 characters/],
    [{ NODEWRIGHT_ENV_FILE: file('text', 'hush') }, /the file of NODEWRIGHT_ENV_FILE is not JSON/],
    [{ NODEWRIGHT_ENV_FILE: file('list', '["hush"]') }, /env is a list, expected object/],
  ];
  for (const [env, line] of rejected) {
    const error = t.throws(() => read(env), { message: line, code: 'CONFIG_INVALID' });
    t.notRegex(error?.message ?? '', /hush|\n/);
  }
});

test('a secret file that other users can read is used, with a warning that says what to change', (t) => {
  const { file, read, warnings } = scene(t);
  t.is(read({ AMQP_URL_FILE: file('open', values.amqp, 0o644) }).amqp, values.amqp);
  t.is(warnings.length, 1);
  t.regex(warnings[0] ?? '', /^AMQP_URL_FILE: other users can read .*open \(mode 644\); change it to 400 or 440$/);
  read({ AMQP_URL_FILE: file('group', values.amqp, 0o440) });
  t.is(warnings.length, 1);
});

test('several keys of tokens are accepted, from the configuration or one for each line of a file', (t) => {
  const { file, read } = scene(t);
  const keys = [KEY, 'o'.repeat(40)];
  t.deepEqual(read({ NODEWRIGHT_AUTH_TOKEN_SECRET_FILE: file('keys', keys.join('\n')) }).authTokenSecret, keys);
  file('config.json', JSON.stringify({ authTokenSecret: keys }));
  t.deepEqual(read({}).authTokenSecret, keys);
});

test('the values of a file are added to those of the key env', (t) => {
  const { file, read } = scene(t);
  file('config.json', JSON.stringify({ env: { dns: '10.0.0.1', password: 'old' } }));
  const secrets = file('env', JSON.stringify({ password: 'hush' }));
  t.deepEqual(read({ NODEWRIGHT_ENV_FILE: secrets }).env, { dns: '10.0.0.1', password: 'hush' });
});

test('the health endpoint is an address and a port that no other endpoint has', (t) => {
  const { file, read } = scene(t);
  const given = (healthEndpoint: string) => {
    file('config.json', JSON.stringify({ healthEndpoint }), 0o600);
    return read({}).healthEndpoint;
  };
  t.is(read({}).healthEndpoint, undefined);
  t.like(given('127.0.0.1:9090'), { address: '127.0.0.1', port: 9090, authEnabled: false });
  t.like(given('[::1]:0'), { address: '::1', port: 0 });
  t.throws(() => given('9090'), { message: /healthEndpoint is "9090", expected an address and a port/ });
  t.throws(() => given('127.0.0.1:65536'), { message: /has the port 65536, expected 0 to 65535/ });
  t.throws(() => given('127.0.0.1:9080'), { message: /already used by httpEndpoints\.1/ });
});
