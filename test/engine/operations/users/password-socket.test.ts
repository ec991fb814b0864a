import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import type { LocalPassword } from '../../../../engine/operations/users/local-passwords.ts';
import {
  askForPassword,
  PasswordSocket,
  passwordSocketIn,
} from '../../../../engine/operations/users/password-socket.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { folder } from '../../../support/ava/folder.ts';
import type { Scope } from '../../../support/ava/scope.ts';

async function served(t: Scope, set: (request: LocalPassword) => Promise<void>) {
  const dataDir = folder(t);
  mkdirSync(join(dataDir, 'lock'));
  const unexpected: unknown[] = [];
  const server = new PasswordSocket({ set, failed: (error) => unexpected.push(error) });
  await server.listen(dataDir);
  t.teardown(() => server.close());
  const path = passwordSocketIn(dataDir);
  return {
    server,
    unexpected,
    ask: (request: LocalPassword) => askForPassword(connect(path), request),
    /** Sends bytes, and returns what comes until the end. */
    async send(bytes: string): Promise<string> {
      const socket = connect(path);
      await once(socket, 'connect');
      socket.on('error', () => {});
      socket.write(bytes);
      return text(socket).catch(() => '');
    },
  };
}

const request = { username: 'op', password: 'hash' };

test('a request is passed on, and its error comes back with its code', async (t) => {
  const seen: LocalPassword[] = [];
  const { ask, unexpected } = await served(t, async (given) => {
    seen.push(given);
    if (given.username === 'none') throw new NodewrightError('NOT_FOUND', 'found no user none');
    if (given.username === 'odd') throw new Error('a secret of the store');
  });
  await ask(request);
  t.deepEqual(seen, [request]);
  await t.throwsAsync(() => ask({ ...request, username: 'none' }), {
    code: 'NOT_FOUND',
    message: 'found no user none',
  });
  await t.throwsAsync(() => ask({ ...request, username: 'odd' }), { code: 'INTERNAL', message: /its log has/ });
  t.is(unexpected.length, 1);
});

test('what is no request is rejected, and so is one without an end', async (t) => {
  const { send, unexpected } = await served(t, () => Promise.reject(new Error('it was passed on')));
  for (const bytes of [
    '\n',
    '{"username":"op"}\n',
    '{"username":"","password":"x"}\n',
    '[1]\n',
    'null\n',
    `${'x'.repeat(9_000)}`,
  ])
    t.regex(await send(bytes), /"code":"INVALID"/, bytes.slice(0, 40));
  t.deepEqual(unexpected, []);
});

test('requests of a minute are limited, and one that is under way ends before the socket is closed', async (t) => {
  let finish = () => {};
  let isSet = false;
  const { ask, server } = await served(t, async ({ username }) => {
    if (username !== 'slow') return;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    isSet = true;
  });
  const slow = t.throwsAsync(() => ask({ ...request, username: 'slow' }), { code: 'UNAVAILABLE' });
  for (let sent = 1; sent < 30; sent += 1) await ask(request);
  await t.throwsAsync(() => ask(request), { code: 'TOO_MANY_REQUESTS' });
  const closed = server.close();
  await slow;
  finish();
  await closed;
  t.true(isSet);
});
