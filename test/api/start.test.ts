/** The process itself, with invalid configurations. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { folder } from '../support/ava/folder.ts';
import { daemonProgram } from '../support/servers/program.ts';

const southbound = { address: '127.0.0.1', port: 0, routers: 'southbound-api-router', authEnabled: true };

for (const [what, file, said] of [
  [
    'a southbound endpoint that requires tokens',
    { httpEndpoints: [southbound] },
    /httpEndpoints\.0\.authEnabled is true/,
  ],
  ['an unknown key', { colour: 'red' }, /colour is not a known key/],
  [
    'a role of approvals that does not exist',
    { approvals: [{ destructive: true, roles: ['Boss'] }] },
    /approvals\.0\.roles has "Boss", which is no role/,
  ],
  [
    'approvals without graphs',
    { approvals: [{ validMinutes: 5 }] },
    /approvals\.0 has graphs and destructive, or neither/,
  ],
  ['a MongoDB without a Redis', { mongodb: 'mongodb://u:hush-hush@h/d' }, /mongodb without redis/],
] as const) {
  test(`${what} stops the start with one line and exit code 2`, async (t) => {
    const home = folder(t);
    const config = join(home, 'config.json');
    writeFileSync(config, JSON.stringify({ dataDir: join(home, 'data'), ...file }));
    const { REDIS_URL: _, MONGODB_URL: __, ...env } = process.env;
    const child = spawn(process.execPath, daemonProgram(), {
      env: { ...env, NODEWRIGHT_CONFIG: config },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    const [[code], out, err] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    t.is(code, 2);
    t.is(out, '');
    t.regex(err, /^nodewright: [^\n]+\n$/);
    t.regex(err, said);
    t.false(err.includes('hush'));
  });
}
