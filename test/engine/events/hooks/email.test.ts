/** Events that are sent by mail, to a relay that really speaks SMTP. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { selfSignedPair } from '../../../../api/endpoint/self-signed.ts';
import { type EmailSending, emailEvent } from '../../../../engine/events/hooks/email-event.ts';
import { smtpRelayIn } from '../../../../engine/events/hooks/smtp-relay.ts';
import { Egress } from '../../../../engine/platform/lib/egress.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { fileScope } from '../../../support/ava/file-scope.ts';
import { folder } from '../../../support/ava/folder.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { nodeEvent } from '../../../support/engine/events.ts';
import { startHooks } from '../../../support/engine/hooks.ts';
import { openOwnStore } from '../../../support/engine/stores.ts';
import { startSmtpRelay } from '../../../support/servers/smtp-relay.ts';

const scope = fileScope();
const egress = new Egress({ allow: [], deny: [] }, true);
const FROM = 'nodewright@example.com';
const addressOf = (port: number, to = 'ops@example.com', scheme = 'smtp') =>
  `${scheme}://127.0.0.1:${port}?from=${FROM}&to=${to}`;

const sending = (url: string, change: Partial<EmailSending> = {}): EmailSending => ({
  url,
  event: nodeEvent(),
  secret: undefined,
  egress,
  trust: { ca: null, rejectUnauthorized: true },
  limitMs: WAIT_MS,
  signal: new AbortController().signal,
  ...change,
});

const headersOf = (source: string) => (source.split('\r\n\r\n')[0] ?? '').replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');

test('a hook of the format mail sends each event to all recipients, the events of one record as one thread', async (t) => {
  const hooks = await startHooks(t, await openOwnStore(scope));
  const relay = await startSmtpRelay(t);
  await hooks.make({ url: addressOf(relay.port, 'ops@example.com,night@example.com'), format: 'mail' });
  const events = [nodeEvent({ data: { name: 'r12s04' } }), nodeEvent({ action: 'removed', severity: 'warning' })];
  await hooks.take(...events);
  const mails = await relay.mails.until((all) => all.length === 2);
  for (const [at, event] of events.entries()) {
    const mail = mails.find(({ source }) => source.includes(`X-Nodewright-Event: ${event.id}`));
    t.like(mail, { from: FROM, to: ['ops@example.com', 'night@example.com'] });
    const headers = headersOf(mail?.source ?? '');
    t.true(headers.includes(`Message-ID: <${event.id}@example.com>`));
    t.true(headers.includes('References: <node-n@example.com>'));
    t.true(headers.includes('Auto-Submitted: auto-generated'));
    const subject = ['node.updated (information): r12s04', 'node.removed (warning)'][at];
    t.true(headers.includes(`Subject: ${subject}`));
  }
  await hooks.results.until((all) => all.length === 2);
  t.deepEqual(hooks.results.all, ['delivered', 'delivered']);
});

test('names and values of events add no header and no recipient', async (t) => {
  const relay = await startSmtpRelay(t);
  const url = addressOf(relay.port);
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a\r\nBcc: evil@example.com', 'a\nTo: evil@example.com', '\r\n.\r\nRCPT TO:<evil@example.com>'),
  );
  const events = fc.record({ name: hostile, typeId: hostile, type: hostile });
  await fc.assert(
    fc.asyncProperty(events, async ({ name, ...change }) => {
      const before = relay.mails.all.length;
      const event = nodeEvent({ ...(change as Partial<EventPayload>), data: { name, message: name } });
      t.like(await emailEvent(sending(url, { event })), { status: 250, error: null });
      const [mail, ...others] = relay.mails.all.slice(before);
      t.deepEqual(others, []);
      t.deepEqual(mail?.to, ['ops@example.com']);
      const names = headersOf(mail?.source ?? '').map((header) => header.split(':')[0]);
      t.is(new Set(names).size, names.length, names.join());
      t.false(names.includes('Bcc'));
    }),
    { numRuns: 40 },
  );
});

test('a password is sent over TLS only, which the relay proves by a certificate that the hook trusts', async (t) => {
  const { cert, key } = await selfSignedPair(folder(t));
  const ca = String(cert);
  const [bare, upgrading, secure] = await Promise.all([
    startSmtpRelay(t),
    startSmtpRelay(t, { cert, key }),
    startSmtpRelay(t, { cert, key, secure: true }),
  ]);
  const trust = { ca, rejectUnauthorized: true };
  const secret = 'nodewright:right';
  t.like(await emailEvent(sending(addressOf(bare.port), { secret, trust })), {
    error: 'the relay answered 500 to STARTTLS',
  });
  t.deepEqual(bare.mails.all, []);
  for (const [{ port, mails }, scheme] of [[upgrading, 'smtp'] as const, [secure, 'smtps'] as const]) {
    const url = addressOf(port, 'ops@example.com', scheme);
    t.like(await emailEvent(sending(url, { secret })), { error: 'no answer: ESOCKET' });
    t.like(await emailEvent(sending(url, { secret, trust })), { status: 250, error: null });
    const careless = { ca: null, rejectUnauthorized: false };
    t.like(await emailEvent(sending(url, { secret, trust: careless })), { status: 250, error: null });
    t.is(mails.all.length, 2);
    for (const mail of mails.all) t.like(mail, { user: 'nodewright', isEncrypted: true });
    const wrong = await emailEvent(sending(url, { secret: 'nodewright:wrong', trust }));
    t.deepEqual(wrong, { status: 535, error: 'the relay answered 535', away: false });
  }
});

test('a relay that rejects, closes, is silent or away ends the attempt, with its code and nothing else', async (t) => {
  const relay = await startSmtpRelay(t, {}, (to) =>
    to.startsWith('gone') ? 550 : to.startsWith('later') ? 451 : undefined,
  );
  const outcome = (to: string) => emailEvent(sending(addressOf(relay.port, to)));
  t.deepEqual(await outcome('gone@example.com'), { status: 550, error: 'the relay answered 550', away: false });
  t.like(await outcome('later@example.com'), { status: 451, away: false });
  t.like(await outcome('gone@example.com,ops@example.com'), { status: 250, error: null });
  const closing = await listening(t, '421 busy\r\n');
  t.deepEqual(await emailEvent(sending(addressOf(closing))), {
    status: 421,
    error: 'the relay answered 421',
    away: true,
  });
  const silent = await listening(t, '');
  const late = await emailEvent(sending(addressOf(silent), { limitMs: 300 }));
  t.deepEqual(late, { status: null, error: 'no answer within 0.3 s', away: true });
  const stopping = new AbortController();
  const aborted = emailEvent(sending(addressOf(silent), { signal: stopping.signal }));
  stopping.abort();
  await t.throwsAsync(aborted, { any: true, name: 'AbortError' });
  const denied = new Egress({ allow: [], deny: ['127.0.0.1'] }, true);
  t.like(await emailEvent(sending(addressOf(relay.port), { egress: denied })), { error: 'no answer: EGRESS_DENIED' });
});

/** @returns the port of a server that greets so */
async function listening(t: ExecutionContext, greeting: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(greeting);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : t.fail();
}

test('the url of a relay has its sender and its recipients, or the error says what is missing', (t) => {
  const relayOf = (url: string) => smtpRelayIn(new URL(url));
  t.deepEqual(relayOf('smtp://relay?from=a@b.example&to=c@d.example'), {
    host: 'relay',
    port: 25,
    isSecure: false,
    from: 'a@b.example',
    to: ['c@d.example'],
  });
  t.like(relayOf('smtps://[fd00::1]?from=a@b&to=c@d,e@f'), { host: 'fd00::1', port: 465, to: ['c@d', 'e@f'] });
  const wrong: readonly [string, RegExp][] = [
    ['https://relay?from=a@b&to=c@d', /smtp:\/\//],
    ['smtp:///?from=a@b&to=c@d', /no host/],
    ['smtp://relay?to=c@d', /needs \?from=/],
    ['smtp://relay?from=a@b', /0 recipients/],
    [`smtp://relay?from=a@b&to=${'c@d,'.repeat(21)}`, /21 recipients/],
    ['smtp://relay?from=a@b&to=c', /not an address; found "c"/],
    ['smtp://relay?from=a@b&to=c%0d%0aRCPT@d', /not an address/],
    ['smtp://relay?from=a%20b%3Ca@b%3E&to=c@d', /needs \?from=/],
  ];
  for (const [url, message] of wrong)
    t.regex(
      violationOf(t, () => relayOf(url)),
      message,
    );
});

test('a hook is rejected whose url, format and secret make no sense together, also after a change', async (t) => {
  const hooks = await startHooks(t, await openOwnStore(scope));
  const url = 'smtp://127.0.0.1?from=a@b&to=c@d';
  const rejected = async (act: Promise<unknown>) => (await t.throwsAsync(act, { code: 'INVALID' }))?.message ?? '';
  t.regex(await rejected(hooks.make({ url })), /smtp:\/\/ and the format mail/);
  t.regex(await rejected(hooks.make({ url: 'http://127.0.0.1/', format: 'mail' })), /must begin with smtp/);
  t.regex(await rejected(hooks.make({ url, format: 'mail', secret: 'password' })), /user:password/);
  t.regex(await rejected(hooks.make({ url: 'smtp://u:p@127.0.0.1?from=a@b&to=c@d', format: 'mail' })), /use a secret/);
  const { id } = await hooks.make({ url, format: 'mail', secret: 'user:password' });
  t.regex(await rejected(hooks.requests.update(id, { format: null })), /format mail/);
  t.regex(await rejected(hooks.requests.update(id, { url: 'http://127.0.0.1/' })), /must begin with smtp/);
  t.regex(await rejected(hooks.requests.update(id, { secret: 'password' })), /user:password/);
  t.like(await hooks.requests.update(id, { url: 'http://127.0.0.1/', format: null }), { format: null });
});

function violationOf(t: ExecutionContext, act: () => unknown): string {
  const error = t.throws(act, { code: 'INVALID' });
  return error?.message ?? '';
}
