import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type ConfigFile, readConfig } from '../../../../engine/platform/config/config.ts';
import { quotaDefaults } from '../../../../engine/platform/config/southbound-quotas.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';

const dir = mkdtempSync(join(tmpdir(), 'nodewright-config-'));
test.after.always(() => rmSync(dir, { recursive: true, force: true }));

let files = 0;
function write(content: unknown): NodeJS.ProcessEnv {
  const name = `config-${files++}.json`;
  writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));
  return { NODEWRIGHT_CONFIG: name };
}

const rejection = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof NodewrightError && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  throw new Error('was not rejected');
};

const rejectionOf = (content: unknown) => rejection(() => readConfig(write(content), dir));

test('the defaults apply without a file', (t) => {
  const config = readConfig({}, dir);
  t.is(config.role, 'both');
  t.is(config.dataDir, join(dir, 'data'));
  t.deepEqual(
    config.httpEndpoints.map(({ address, port, authEnabled }) => [address, port, authEnabled]),
    [
      ['127.0.0.1', 8080, true],
      ['127.0.0.1', 9080, false],
    ],
  );
  t.is(config.taskConcurrency, 100);
  t.is(config.packLimit, 256 * 1024 * 1024);
  t.is(config.mongodb, undefined);
  t.deepEqual(config.shellCommands, []);
  t.deepEqual(config.obm, { concurrency: 2, timeoutMs: 20_000, failures: 3, backoffMs: 30_000, cipherSuite: 3 });
});

test('configured obm settings are merged over the defaults', (t) => {
  t.like(readConfig(write({ obm: { cipherSuite: 17 } }), dir).obm, { cipherSuite: 17, timeoutMs: 20_000 });
});

test('southbound keys are accepted by default and can be required, and each quota has bounds', (t) => {
  t.is(readConfig({}, dir).southboundKeys, 'accept');
  t.is(readConfig(write({ southboundKeys: 'require' }), dir).southboundKeys, 'require');
  t.regex(rejectionOf({ southboundKeys: 'demand' }), /southboundKeys is "demand", expected one of accept, require/);
  const { southboundQuotas: quotas } = readConfig(write({ southboundQuotas: { nodes: 7 } }), dir);
  t.deepEqual(quotas, { ...quotaDefaults, nodes: 7 });
  t.regex(rejectionOf({ southboundQuotas: { nodez: 7 } }), /southboundQuotas\.nodez is not a known key/);
  for (const name of Object.keys(quotaDefaults)) {
    for (const value of [-1, 0, 1.5, 1e15, '7', null]) {
      t.regex(
        rejectionOf({ southboundQuotas: { [name]: value } }),
        new RegExp(`southboundQuotas\\.${name} is `),
        `${value}`,
      );
    }
  }
});

test('config.json in the working directory is used, and NODEWRIGHT_CONFIG takes precedence', (t) => {
  const cwd = mkdtempSync(join(dir, 'cwd-'));
  writeFileSync(join(cwd, 'config.json'), '{"taskConcurrency":7}');
  writeFileSync(join(cwd, 'other.json'), '{"taskConcurrency":8}');
  t.is(readConfig({}, cwd).taskConcurrency, 7);
  t.is(readConfig({ NODEWRIGHT_CONFIG: 'other.json' }, cwd).taskConcurrency, 8);
});

test('the default folders are relative to the package, configured folders to the working directory', (t) => {
  t.regex(readConfig({}, dir).graphs[0] ?? '', /graphs$/);
  t.false(readConfig({}, dir).graphs[0]?.startsWith(dir));
  t.deepEqual(readConfig(write({ graphs: ['mine', '/abs'] }), dir).graphs, [join(dir, 'mine'), '/abs']);
});

test('the URLs of the environment take precedence over those of the file', (t) => {
  const env = { ...write({ redis: 'redis://file' }), REDIS_URL: 'redis://env', MONGODB_URL: 'mongodb://m' };
  const config = readConfig(env, dir);
  t.is(config.redis, 'redis://env');
  t.is(config.mongodb, 'mongodb://m');
});

test('overrides take precedence over everything else', (t) => {
  const config = readConfig(write({ dataDir: 'a' }), dir, { dataDir: 'b' });
  t.is(config.dataDir, join(dir, 'b'));
});

test('workflows to suspend come from the arguments, until 0.2 by the old one too', (t) => {
  t.deepEqual(readConfig({}, dir, {}, ['--suspend', 'a', '--hold', 'b']).suspend, ['a', 'b']);
  t.is(
    rejection(() => readConfig({}, dir, {}, ['--suspend', ''])),
    'arguments: --suspend is "", expected the id of a workflow',
  );
});

test('the role comes from the arguments, and an unknown role is rejected', (t) => {
  t.is(readConfig({}, dir, {}, ['--role', 'worker']).role, 'worker');
  t.is(readConfig({}, dir, {}, ['--role=api']).role, 'api');
  t.is(
    rejection(() => readConfig({}, dir, {}, ['--role', 'king'])),
    'arguments: --role is "king", expected one of api, worker, both',
  );
  t.regex(
    rejection(() => readConfig({}, dir, {}, ['--fast'])),
    /^arguments: .*--fast/,
  );
});

test('the result is frozen at every depth', (t) => {
  const config = readConfig(write({ env: { a: { b: 1 } } }), dir);
  t.true(Object.isFrozen(config));
  t.true(Object.isFrozen(config.httpEndpoints[0]));
  t.true(Object.isFrozen(config.env.a));
});

const southbound = { port: 9080, routers: 'southbound-api-router' };
const rejections: [name: string, content: unknown, line: RegExp][] = [
  ['an unknown key', { taskConcurency: 1 }, /config-\d+\.json: taskConcurency is not a known key/],
  [
    'an unknown key of an endpoint',
    { httpEndpoints: [{ ...southbound, ssl: true }] },
    /httpEndpoints\.0\.ssl is not a/,
  ],
  [
    'a wrong type',
    { httpEndpoints: [{ ...southbound, port: 'x' }] },
    /httpEndpoints\.0\.port is "x", expected integer/,
  ],
  [
    'a port that is not a number',
    { httpEndpoints: [{ ...southbound, port: 70000 }] },
    /port is 70000, expected <= 65535/,
  ],
  ['an unknown router', { httpEndpoints: [{ port: 1, routers: 'up' }] }, /routers is "up", expected one of northbound/],
  ['no endpoint', { httpEndpoints: [] }, /httpEndpoints is a list, expected at least 1/],
  ['an endpoint without a port', { httpEndpoints: [{ routers: 'x' }] }, /httpEndpoints\.0 has no port; add it/],
  [
    'southbound with auth',
    { httpEndpoints: [{ ...southbound, authEnabled: true }] },
    /0\.authEnabled is true, expected/,
  ],
  [
    'two endpoints on one port',
    { httpEndpoints: [southbound, southbound] },
    /1\.port is 9080 .* used by httpEndpoints\.0/,
  ],
  [
    'an authority without a certificate',
    { httpEndpoints: [{ ...southbound, httpsCa: 'c' }] },
    /httpsCa without the httpsCert/,
  ],
  ['a certificate without a key', { httpEndpoints: [{ ...southbound, httpsCert: 'c' }] }, /expected both or none/],
  ['an unknown IPMI cipher suite', { obm: { cipherSuite: 18 } }, /obm\.cipherSuite is 18, expected <= 17/],
  ['a relative shell command', { shellCommands: ['sh'] }, /shellCommands\.0 is "sh", expected an absolute path/],
  ['a list', [], /the configuration is a list, expected object/],
  ['no JSON', '{"authTokenSecret": "hush', /is not JSON; correct it$/],
];

for (const [name, content, line] of rejections) {
  test(`a configuration with ${name} is rejected with one line`, (t) => {
    const message = rejectionOf(content);
    t.regex(message, line);
    t.notRegex(message, /\n/);
  });
}

test('a message never contains a secret', (t) => {
  const wrong: ConfigFile[] = [
    { mongodb: 'http://user:hush@host' },
    { redis: 'hush' },
    { amqp: 'hush' },
    { authTokenSecret: 'hush' },
  ];
  for (const content of wrong) t.notRegex(rejectionOf(content), /hush/);
  t.notRegex(
    rejection(() => readConfig({ AMQP_URL: 'ftp://hush' }, dir)),
    /hush/,
  );
});

test('the file that NODEWRIGHT_CONFIG names must exist', (t) => {
  t.regex(
    rejection(() => readConfig({ NODEWRIGHT_CONFIG: 'nowhere.json' }, dir)),
    /nowhere\.json: cannot be read \(ENOENT\); correct NODEWRIGHT_CONFIG/,
  );
});
