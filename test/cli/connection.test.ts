/** The way to a daemon: contexts, tokens, certificates, and a sentence for each thing that can be wrong on it. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { commandLine } from '../support/console/command-line.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { shared } from '../support/servers/shared-resources.ts';

const routers = 'northbound-api-router';
const local = { address: '127.0.0.1', port: 0 };

/** It has an endpoint with https, and one without. */
const daemonOf = shared((file) =>
  startDaemonProcess(file, {
    config: {
      httpEndpoints: [
        { ...local, routers, httpsEnabled: true, authEnabled: true },
        { ...local, routers, authEnabled: true },
        { ...local, routers: 'southbound-api-router' },
      ],
    },
  }),
);

interface Listening {
  endpoints?: { port: number; https: boolean }[];
}

function securePort({ log }: DaemonProcess): number {
  const all = log.flatMap((line) => (JSON.parse(line) as Listening).endpoints ?? []);
  return all.find(({ https }) => https)?.port ?? 0;
}

/** Logs in with the password on the standard input. */
function logIn(env: NodeJS.ProcessEnv, ...args: string[]) {
  const command = [packagePath('dist/nw.mjs'), 'login', '-u', 'tester', '--password-stdin', ...args];
  return spawnSync(process.execPath, command, { env, encoding: 'utf8', input: 'correct-horse\n' });
}

/** A user who has not logged in. */
async function stranger(t: ExecutionContext) {
  const daemon = await daemonOf();
  const plain = commandLine(t, daemon).env.NW_URL;
  const home = folder(t);
  const contexts = join(home, 'nw', 'contexts.json');
  const nw = commandLine(t, daemon, { NW_URL: '', NW_TOKEN: '', NW_CONTEXTS: '', XDG_CONFIG_HOME: home });
  return { daemon, nw, contexts, plain: plain ?? '' };
}

test.serial(
  'a log-in makes a context that only its owner can read, and a log-out ends the token and removes it',
  async (t) => {
    const { nw, contexts, plain } = await stranger(t);
    const done = logIn(nw.env, '--url', plain, '--context', 'lab');
    t.is(done.status, 0, done.stderr);
    t.is(statSync(contexts).mode & 0o777, 0o600);
    t.is(statSync(dirname(contexts)).mode & 0o777, 0o700);
    t.is((await nw.run('nodes')).status, 0);
    t.like(JSON.parse((await nw.run('whoami', '-o', 'json')).stdout), { url: plain, user: 'tester', token: 'context' });
    t.regex((await nw.run('context')).stdout, /^\* +lab +http:\S+ +tester$/m);
    const { token } = JSON.parse(readFileSync(contexts, 'utf8')).contexts.lab;
    const program = commandLine(t, await daemonOf(), { NW_URL: plain, NW_TOKEN: token });
    t.like(JSON.parse((await program.run('whoami', '-o', 'json')).stdout), { user: 'tester', token: 'NW_TOKEN' });
    t.is((await nw.run('logout')).status, 0);
    t.regex((await nw.run('context')).stderr, /^none\n$/);
    const late = commandLine(t, await daemonOf(), { NW_URL: plain, NW_TOKEN: token });
    t.regex((await late.run('nodes')).stderr, /^nw: The token is missing, has ended, .*; run: nw login\n$/);
  },
);

test.serial(
  'the token of a context is not sent to another URL, and a file that others can read is not used',
  async (t) => {
    const { nw, contexts, plain } = await stranger(t);
    logIn(nw.env, '--url', plain);
    const seen: string[] = [];
    const server = createServer((socket) => {
      socket.once('data', (data) => {
        seen.push(String(data));
        socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as { port: number };
    t.is((await nw.run('nodes', '--url', `http://127.0.0.1:${port}`)).status, 1);
    t.is(seen.length, 1);
    t.notRegex(seen[0] ?? '', /authorization/i);
    chmodSync(contexts, 0o644);
    const { status, stderr } = await nw.run('nodes');
    t.is(status, 1);
    t.regex(stderr, /can be read by others, although it contains tokens; run: chmod 600 /);
  },
);

test.serial('https: an unknown authority, another name and the wrong protocol have a sentence each', async (t) => {
  const { daemon, nw, contexts, plain } = await stranger(t);
  const secure = `https://127.0.0.1:${securePort(daemon)}`;
  const ca = join(dirname(daemon.file), 'data', 'https-cert.pem');
  t.true(existsSync(ca));
  const said = async (...args: string[]) => (await nw.run('nodes', ...args)).stderr;
  t.regex(
    await said('--url', secure),
    /is signed by an unknown authority; name the file of the authority \(--ca FILE, NW_CA\)/,
  );
  t.regex(await said('--url', secure.replace('https', 'http')), /use https:\/\/ in the URL/);
  t.regex(
    await said('--url', plain.replace('http', 'https'), '--ca', ca),
    /does not speak TLS; use http:\/\/ in the URL/,
  );
  t.regex(await said('--url', secure, '--ca', '/nowhere.pem'), /nowhere\.pem/);
  t.is(logIn(nw.env, '--url', secure, '--ca', ca).status, 0);
  t.is((await nw.run('nodes')).status, 0, 'the context keeps the name of the file');
  t.is(JSON.parse(readFileSync(contexts, 'utf8')).contexts[new URL(secure).host].ca, ca);
});

test.serial('no daemon, an unknown host, a wrong URL and a wrong password have a sentence each', async (t) => {
  const { nw, plain } = await stranger(t);
  for (const [url, sentence, code] of [
    ['http://127.0.0.1:1', /No daemon listens at 127\.0\.0\.1:1; start it \(nw serve\), or correct the URL/, 1],
    ['http://nowhere.invalid', /The host of http:\/\/nowhere\.invalid is unknown; correct the URL/, 1],
    ['ftp://x', /found the URL ftp:\/\/x; expected http:/, 2],
    ['http://user:hidden@127.0.0.1:1', /^(?!.*hidden).*found a user in the URL/, 2],
  ] as const) {
    const { status, stderr } = await nw.run('nodes', '--url', url);
    t.is(status, code, stderr);
    t.regex(stderr, sentence);
  }
  const wrong = spawnSync(
    process.execPath,
    [packagePath('dist/nw.mjs'), 'login', '-u', 'tester', '--password-stdin', '--url', plain],
    {
      env: nw.env,
      encoding: 'utf8',
      input: 'wrong-horse\n',
    },
  );
  t.is(wrong.status, 1);
  t.regex(wrong.stderr, /^nw: Wrong user name or password; a new daemon has no user yet: nw user add <name>\n$/);
  const { status, stderr } = await nw.run('nodes', '--context', 'none');
  t.is(status, 2);
  t.regex(stderr, /found no context none; there are: none/);
});

test.serial('without a terminal nothing is asked, and nothing is colored', async (t) => {
  const { nw, plain } = await stranger(t);
  const asked = await nw.run('login', '--url', plain);
  t.is(asked.status, 2);
  t.regex(asked.stderr, /User is missing; without a terminal it must be an option/);
  const help = commandLine(t, await daemonOf(), { FORCE_COLOR: '', CI: 'true' });
  const { stdout } = await help.run('nodes', '-o', 'wide');
  t.false(stdout.includes('\u001b'));
});
