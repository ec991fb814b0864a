import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { cliDaemon } from '../support/console/cli-scene.ts';
import { commandLine } from '../support/console/command-line.ts';
import { shared } from '../support/servers/shared-resources.ts';

const northbound = { address: '127.0.0.1', port: 0, authEnabled: true, routers: 'northbound-api-router' } as const;
const southbound = { ...northbound, authEnabled: false, routers: 'southbound-api-router' } as const;
const httpEndpoints: ConfigFile['httpEndpoints'] = [{ ...northbound, httpsEnabled: true }, northbound, southbound];

const daemonOf = shared((file) => cliDaemon(file, { httpEndpoints }));

test.serial('a certificate of an unknown authority, or the wrong protocol, is named with its remedy', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const listening = daemon.log.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'listening');
  const secure = `https://127.0.0.1:${listening.endpoints[0].port}`;
  const untrusted = await nw.run('nodes', '--url', secure);
  t.is(untrusted.status, 1);
  t.regex(untrusted.stderr, /signed by an unknown authority; name the file of the authority \(--ca FILE, NW_CA\)/);
  const ca = join(dirname(daemon.file), 'data', 'https-cert.pem');
  const trusted = await nw.run('nodes', '--url', secure, '--ca', ca, '-o', 'json');
  t.is(trusted.status, 0, trusted.stderr);
  const plain = await nw.run('nodes', '--url', secure.replace('https', 'http'));
  t.is(plain.status, 1);
  t.regex(plain.stderr, /ended the connection|use https:/);
  const tls = await nw.run('nodes', '--url', new URL(daemon.authorized('').url).origin.replace('http', 'https'));
  t.is(tls.status, 1);
  t.regex(tls.stderr, /does not speak TLS; use http:/);
  t.is((await nw.run('nodes', '--ca', '/nowhere.pem')).status, 2);
});

test.serial('a token that has ended leads to nw login', async (t) => {
  const daemon = await daemonOf();
  const nw = commandLine(t, daemon);
  const { body } = await daemon.api('POST', '/users/tester/tokens', { note: 'ends' });
  nw.env.NW_TOKEN = body.token;
  t.is((await nw.run('nodes')).status, 0);
  t.is((await nw.run('logout')).status, 0);
  const { status, stderr } = await nw.run('nodes');
  t.is(status, 1);
  t.regex(stderr, /has ended.*nw login/);
});

test.serial('a file of contexts that others may read is rejected', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const file = nw.env.NW_CONTEXTS ?? '';
  writeFileSync(file, '{"current":null,"contexts":{}}');
  chmodSync(file, 0o644);
  const { status, stderr } = await nw.run('nodes');
  t.is(status, 1);
  t.regex(stderr, /chmod 600/);
});

test.serial('wrong usage is 2, with the options in the help; the help itself is no error', async (t) => {
  const nw = commandLine(t, await daemonOf());
  for (const args of [['wach'], ['run'], ['ps', '--none'], ['ps', '--limit', 'x'], ['watch', 'x', '--timeout', '10']]) {
    const { status, stderr } = await nw.run(...args);
    t.is(status, 2, args.join(' '));
    t.regex(stderr, /--help/);
  }
  const help = await nw.run('run', '--help');
  t.is(help.status, 0);
  t.regex(help.stdout, /--max-failed/);
});

/** A server that is no daemon, or a hostile one. */
async function answering(t: ExecutionContext, answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.serial('an answer of another server, of a proxy or after a redirection is a sentence that says so', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const others: [(response: ServerResponse) => void, RegExp][] = [
    [
      (response) => response.end('<html>welcome</html>'),
      /answers 200, and not as a nodewright daemon does; correct the URL/,
    ],
    [(response) => response.end('{"some":"thing"}'), /answers 200, and not as a nodewright daemon does/],
    [
      (response) => response.writeHead(302, { location: 'https://login.example.com/' }).end(),
      /answers 302, which leads to https:\/\/login/,
    ],
    [(response) => response.writeHead(404).end('<h1>nginx</h1>'), /answers 404, and not as/],
    [
      (response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
      /A proxy or another server answered 502, not a daemon/,
    ],
  ];
  for (const [answer, said] of others) {
    const url = await answering(t, answer);
    for (const args of [['nodes'], ['ps'], ['why', 'x'], ['run', 'Graph.noop-example']]) {
      const { status, stderr } = await nw.run(...args, '--url', url);
      t.is(status, 1, `${args} ${said}`);
      t.regex(stderr, said);
      t.is(stderr.trim().split('\n').length, 1, stderr);
    }
  }
});

test.serial('no part of an error reaches the terminal as a command', async (t) => {
  const nw = commandLine(t, await daemonOf());
  const evil = 'X\u001b]0;title\u0007\u001b[2Jok';
  const url = await answering(t, (response) => {
    response.writeHead(403, { 'content-type': 'application/json', 'x-request-id': 'r' });
    const errors = [{ path: evil, message: evil }];
    response.end(JSON.stringify({ message: evil, code: evil, requestId: evil, requiredPrivileges: [evil], errors }));
  });
  for (const args of [['nodes'], ['ps'], ['why', 'x'], ['users'], ['hooks'], ['events'], ['audit', 'list']]) {
    const { status, stdout, stderr } = await nw.run(...args, '--url', url);
    t.is(status, 1);
    t.false((stdout + stderr).includes('\u001b'), JSON.stringify(stderr));
    t.true(stderr.includes('ok'));
  }
});
