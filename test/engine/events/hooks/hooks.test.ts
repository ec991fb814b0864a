/** Deliveries of events: real requests to real receivers, on the embedded store and queue. */
import { createHmac } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { selfSignedPair } from '../../../../api/endpoint/self-signed.ts';
import type { HookRecord } from '../../../../engine/api-port/index.ts';
import type { Delivery } from '../../../../engine/events/hooks/deliveries.ts';
import type { Store } from '../../../../engine/platform/store/port.ts';
import { fileScope } from '../../../support/ava/file-scope.ts';
import { folder } from '../../../support/ava/folder.ts';
import { nodeEvent } from '../../../support/engine/events.ts';
import { startHooks, type TestHooks } from '../../../support/engine/hooks.ts';
import { openOwnStore } from '../../../support/engine/stores.ts';
import { startReceiver } from '../../../support/servers/receiver.ts';

const quick = { firstWait: 50, maxWait: 200, maxBackoff: 200, round: 100, attempt: 2_000 };
const upTo = (length: number) => Array.from({ length }, (_, n) => n);

const scope = fileScope();
let store: Store;
test.before(async () => {
  store = await openOwnStore(scope);
});

/**
 * Resolves when the log of a hook satisfies the condition; a log entry that follows an answer can only be polled for.
 */
async function logged(
  t: ExecutionContext,
  hooks: TestHooks,
  hook: HookRecord,
  so: (log: Delivery[]) => boolean,
): Promise<Delivery[]> {
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const log = await hooks.log(hook);
    if (so(log)) return log;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  t.log(await hooks.log(hook));
  throw new Error('timed out waiting for the expected log');
}
const all = (state: string, count: number) => (log: Delivery[]) =>
  log.filter((delivery) => delivery.state === state).length === count;

test.serial(
  'an event is posted once, unchanged, to each hook that selects it, even if it is published again',
  async (t) => {
    const hooks = await startHooks(t, store);
    const receiver = await startReceiver(t);
    const every = await hooks.make({ url: `${receiver.url}every` });
    const some = await hooks.make({ url: `${receiver.url}some`, filters: [{ action: '^added$' }, { typeId: 'none' }] });
    const [added, updated] = [nodeEvent({ action: 'added' }), nodeEvent()];
    for (const _ of [1, 2, 3]) await hooks.take(added, updated);
    await logged(t, hooks, every, all('delivered', 2));
    await logged(t, hooks, some, all('delivered', 1));
    await hooks.take(added, updated);
    const posted = receiver.posted.all.map(({ path, event }) => `${path} ${event.id}`);
    t.deepEqual(posted.toSorted(), [`/every ${added.id}`, `/every ${updated.id}`, `/some ${added.id}`].toSorted());
    const [first] = receiver.posted.all;
    t.is(first?.method, 'POST');
    t.like(first?.headers, { 'content-type': 'application/json', 'x-nodewright-event': first?.event.id });
    t.deepEqual(
      [added, updated].find(({ id }) => id === first?.event.id),
      first?.event,
    );
    t.false('x-nodewright-signature' in (first?.headers ?? {}));
    const [delivery] = await hooks.log(some);
    t.like(delivery, {
      state: 'delivered',
      eventId: added.id,
      attempts: 1,
      status: 204,
      error: null,
      nextAttemptAt: null,
    });
  },
);

test.serial('with a secret the receiver can verify the sender and the time of a delivery', async (t) => {
  const hooks = await startHooks(t, store);
  const receiver = await startReceiver(t);
  await hooks.make({ url: receiver.url, secret: 'shared' });
  await hooks.take(nodeEvent({ data: { text: 'é\u{1f600}' } }));
  const [posted] = await receiver.posted.until((posted) => posted.length === 1);
  const { 'x-nodewright-timestamp': timestamp, 'x-nodewright-signature': signature } = posted?.headers ?? {};
  const wanted = createHmac('sha256', 'shared').update(`${timestamp}.${posted?.text}`).digest('hex');
  t.is(signature, `sha256=${wanted}`);
  t.true(Math.abs(Number(timestamp) - Date.now() / 1_000) < 60);
});

test.serial('a receiver over https must be trusted, by its authority or by an option of the hook', async (t) => {
  const hooks = await startHooks(t, store, quick);
  const pair = await selfSignedPair(folder(t));
  const receiver = await startReceiver(t, () => 204, { cert: String(pair.cert), key: String(pair.key) });
  const rejected = await hooks.make({ url: `${receiver.url}rejected` });
  const known = await hooks.make({ url: `${receiver.url}known`, ca: String(pair.cert) });
  const careless = await hooks.make({ url: `${receiver.url}careless`, rejectUnauthorized: false });
  await hooks.take(nodeEvent());
  for (const hook of [known, careless]) await logged(t, hooks, hook, all('delivered', 1));
  const [delivery] = await logged(t, hooks, rejected, ([one]) => one?.error !== null);
  t.is(delivery?.error, 'no answer: DEPTH_ZERO_SELF_SIGNED_CERT');
  t.deepEqual(receiver.posted.all.map(({ path }) => path).toSorted(), ['/careless', '/known']);
  await hooks.requests.update(rejected.id, { ca: String(pair.cert) });
  await logged(t, hooks, rejected, all('delivered', 1));
});

test.serial('a failed delivery is retried, with a growing delay', async (t) => {
  const hooks = await startHooks(t, store, { round: 300 });
  const receiver = await startReceiver(t, (nth) => (nth <= 2 ? 500 : 200));
  const hook = await hooks.make({ url: receiver.url });
  await hooks.take(nodeEvent());
  const [first, second, third] = await receiver.posted.until((posted) => posted.length === 3);
  t.true((second?.at ?? 0) - (first?.at ?? 0) >= 790);
  t.true((third?.at ?? 0) - (second?.at ?? 0) >= 1_590);
  const [delivery] = await logged(t, hooks, hook, all('delivered', 1));
  t.like(delivery, { attempts: 3, status: 200, error: null });
  t.deepEqual(hooks.results.all, ['retried', 'retried', 'delivered']);
});

test.serial(
  'a dead, a hanging and a redirecting receiver delay no other hook, and their errors are in the log',
  async (t) => {
    const hooks = await startHooks(t, store, { ...quick, attempt: 500 });
    const [dead, hanging, endless, good] = await Promise.all([
      startReceiver(t),
      startReceiver(t, () => undefined),
      startReceiver(t, (_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'.repeat(10_000)), 5);
        response.on('close', () => clearInterval(timer));
        return undefined;
      }),
      startReceiver(t),
    ]);
    const redirecting = await startReceiver(t, (_, response) => {
      response.writeHead(302, { location: `${good.url}elsewhere` }).end();
      return undefined;
    });
    await dead.stop();
    const urls = [dead, hanging, redirecting, endless, good].map(({ url }) => `${url}?token=hidden`);
    const made = await Promise.all(urls.map((url) => hooks.make({ url, secret: 'hidden' })));
    const [deadHook, hangingHook, redirected, endlessHook, goodHook] = made as [
      HookRecord,
      HookRecord,
      HookRecord,
      HookRecord,
      HookRecord,
    ];
    await hooks.take(...upTo(100).map(() => nodeEvent()));
    // Long before one page of the hanging receiver is done.
    await good.posted.until((posted) => posted.length === 100);
    await logged(t, hooks, goodHook, all('delivered', 100));
    t.true((await hooks.log(hangingHook)).filter(({ attempts }) => attempts > 0).length < 100);
    await logged(t, hooks, endlessHook, all('delivered', 100));
    const tried = (log: Delivery[]) => log.some(({ attempts }) => attempts > 0);
    const errors = async (hook: HookRecord) => {
      const log = await logged(t, hooks, hook, tried);
      return new Set(log.flatMap(({ error }) => error ?? []));
    };
    t.deepEqual(await errors(deadHook), new Set(['no answer: ECONNREFUSED']));
    t.deepEqual(await errors(hangingHook), new Set(['no answer within 0.5 s']));
    t.deepEqual(await errors(redirected), new Set(['the receiver answered 302']));
    t.true(good.posted.all.every(({ path }) => path === '/?token=hidden'));
  },
);

test.serial(
  'an unreachable receiver is retried with growing delays, by one delivery, and gets all events when it is back',
  async (t) => {
    const hooks = await startHooks(t, store, quick);
    const receiver = await startReceiver(t, () => 503);
    const hook = await hooks.make({ url: receiver.url });
    await hooks.take(...upTo(50).map(() => nodeEvent()));
    await receiver.posted.until((posted) => posted.length >= 12);
    // The concurrent deliveries first, then one at a time.
    const at = receiver.posted.all.map((posted) => posted.at).slice(8);
    t.true(at.slice(1).every((time, n) => time - (at[n] ?? 0) >= 35));
    receiver.behave = () => 200;
    await logged(t, hooks, hook, all('delivered', 50));
  },
);

test.serial('queued events go to the new url of their hook, and are dropped when the hook is removed', async (t) => {
  const hooks = await startHooks(t, store, quick);
  const [from, to, never] = await Promise.all([
    startReceiver(t, () => 500),
    startReceiver(t),
    startReceiver(t, () => 500),
  ]);
  const hook = await hooks.make({ url: from.url });
  const removed = await hooks.make({ url: never.url });
  const event = nodeEvent();
  await hooks.take(event);
  await Promise.all([from, never].map(({ posted }) => posted.until((posted) => posted.length > 0)));
  await hooks.requests.update(hook.id, { url: to.url });
  t.true(await hooks.requests.remove(removed.id));
  await to.posted.until((posted) => posted.some(({ event: { id } }) => id === event.id));
  await logged(t, hooks, hook, all('delivered', 1));
  t.deepEqual(await hooks.log(removed), []);
  const before = never.posted.all.length;
  await hooks.take(nodeEvent());
  await logged(t, hooks, hook, all('delivered', 2));
  t.true(never.posted.all.length <= before + 1);
  t.deepEqual(await hooks.log(removed), []);
});

test.serial(
  'a pattern that backtracks without end in other engines selects its events, and delays no other hook',
  async (t) => {
    const hooks = await startHooks(t, store, quick);
    const receiver = await startReceiver(t);
    const evil = await hooks.make({ url: `${receiver.url}evil`, filters: [{ typeId: '^(a+)+$' }] });
    const plain = await hooks.make({ url: `${receiver.url}plain` });
    for (const n of upTo(5)) await hooks.take(nodeEvent({ typeId: `${'a'.repeat(60 + n)}${n === 1 ? '' : 'b'}` }));
    await logged(t, hooks, plain, all('delivered', 5));
    const [delivery] = await logged(t, hooks, evil, all('delivered', 1));
    t.is(delivery?.typeId, 'a'.repeat(61));
  },
);

test.serial('an event that cannot be delivered in time is kept as failed', async (t) => {
  const hooks = await startHooks(t, store, { ...quick, abandonAfter: 3_000 });
  const receiver = await startReceiver(t, () => 400);
  const hook = await hooks.make({ url: receiver.url });
  await hooks.take(nodeEvent());
  const [delivery] = await logged(t, hooks, hook, all('failed', 1));
  t.like(delivery, { status: 400, error: 'the receiver answered 400', nextAttemptAt: null });
  t.true((delivery?.attempts ?? 0) > 1);
  t.is(hooks.results.all.at(-1), 'failed');
});

test.serial(
  'beyond the limits the oldest queued events are kept as failed, and the newest ended ones are kept',
  async (t) => {
    const receiver = await startReceiver(t);
    const many = await startHooks(t, store, {
      ...quick,
      maxWaiting: 5,
      maxEnded: 3,
      maxBackoff: 60_000,
      firstWait: 60_000,
    });
    await receiver.stop();
    const away = await many.make({ url: receiver.url });
    for (const n of upTo(10)) await many.take(nodeEvent({ typeId: `n${n}` }));
    const log = await logged(t, many, away, (log) => all('waiting', 5)(log) && all('failed', 3)(log));
    t.deepEqual(
      log.filter(({ state }) => state === 'waiting').map(({ typeId }) => typeId),
      ['n9', 'n8', 'n7', 'n6', 'n5'],
    );
    t.true(log.every(({ state, error }) => state === 'waiting' || error === 'more than 5 were waiting'));
  },
);

test.serial('the next life of the daemon delivers the events that a stopped daemon left', async (t) => {
  const hooks = await startHooks(t, store, quick);
  const receiver = await startReceiver(t, () => undefined);
  const hook = await hooks.make({ url: receiver.url });
  const events = upTo(20).map(() => nodeEvent());
  await hooks.take(...events);
  await receiver.posted.until((posted) => posted.length === 8);
  const start = performance.now();
  await hooks.close();
  t.true(performance.now() - start < 1_500, 'close does not wait for an answer');
  receiver.behave = () => 200;
  await hooks.open();
  const log = await logged(t, hooks, hook, all('delivered', 20));
  // An aborted attempt is not counted.
  t.true(log.every(({ attempts }) => attempts === 1));
});
