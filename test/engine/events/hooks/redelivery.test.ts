/** Deliveries that a user requests: a test of a hook, and an event again. */
import { createHmac } from 'node:crypto';
import test from 'ava';
import { headersOf } from '../../../../engine/events/hooks/post-event.ts';
import { nodeEvent } from '../../../support/engine/events.ts';
import { startHooks } from '../../../support/engine/hooks.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';
import { seen } from '../../../support/faults/workload.ts';
import { startReceiver } from '../../../support/servers/receiver.ts';

const store = embeddedStore(test);

test.serial('a test reaches the hook whatever its filters, and no other hook', async (t) => {
  const hooks = await startHooks(t, store());
  const receiver = await startReceiver(t);
  const hook = await hooks.make({ url: `${receiver.url}one`, name: 'one', filters: [{ type: '^nothing$' }] });
  await hooks.make({ url: `${receiver.url}other` });
  const delivery = await hooks.requests.test(hook.id);
  t.like(delivery, { state: 'waiting', type: 'hook', action: 'test', typeId: hook.id });
  const [posted] = await receiver.posted.until((all) => all.length === 1);
  t.is(posted?.path, '/one');
  t.like(posted?.event, {
    id: delivery?.eventId,
    type: 'hook',
    action: 'test',
    data: { hookId: hook.id, hookName: 'one' },
  });
  await seen(async () => (await hooks.log(hook))[0]?.state === 'delivered');
  t.is(await hooks.requests.test('none'), undefined);
});

test.serial('an ended delivery is made again with the same event, as often as a user wants', async (t) => {
  const hooks = await startHooks(t, store(), { abandonAfter: 0 });
  const receiver = await startReceiver(t, (nth) => (nth === 1 ? 500 : 204));
  const hook = await hooks.make({ url: receiver.url });
  const event = nodeEvent();
  await hooks.take(event);
  const failed = await seen(async () => (await hooks.log(hook)).find(({ state }) => state === 'failed'));
  for (let n = 2; n <= 3; n += 1) {
    const again = await hooks.requests.redeliver(hook.id, failed.id);
    t.like(again, { eventId: event.id, redeliveryOf: failed.id, state: 'waiting' });
    const posted = await receiver.posted.until((all) => all.length === n);
    t.deepEqual(posted.at(-1)?.event, event);
    t.is(posted.at(-1)?.headers['webhook-id'], event.id);
    await seen(async () => (await hooks.log(hook)).some(({ id, state }) => id === again?.id && state === 'delivered'));
  }
  t.is((await hooks.log(hook)).length, 3);
  const other = await hooks.make({ url: `${receiver.url}other` });
  t.is(await hooks.requests.redeliver(other.id, failed.id), undefined);
  t.is(await hooks.requests.redeliver(hook.id, 'none'), undefined);
});

test.serial('a waiting delivery is attempted immediately, although its receiver was away', async (t) => {
  const hour = 3_600_000;
  const hooks = await startHooks(t, store(), { firstWait: hour, maxWait: hour, maxBackoff: hour });
  const receiver = await startReceiver(t, (nth) => (nth === 1 ? 503 : 204));
  const hook = await hooks.make({ url: receiver.url });
  await hooks.take(nodeEvent());
  const waiting = await seen(async () => (await hooks.log(hook)).find(({ attempts }) => attempts === 1));
  t.is(waiting.state, 'waiting');
  const again = await seen(async () => hooks.requests.redeliver(hook.id, waiting.id));
  t.is(again.id, waiting.id);
  t.is(again.redeliveryOf, undefined);
  await receiver.posted.until((all) => all.length === 2);
  await seen(async () => (await hooks.log(hook))[0]?.state === 'delivered');
  t.is((await hooks.log(hook)).length, 1);
});

test('the headers of Standard Webhooks are signed as its receivers expect', (t) => {
  const body = '{"test": 2432232314}';
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const signed = (key: string | Buffer, headers: Record<string, string>) =>
    `v1,${createHmac('sha256', key)
      .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
      .digest('base64')}`;
  const headers = headersOf(nodeEvent({ id: 'msg_1' }), body, secret);
  t.is(headers['webhook-id'], 'msg_1');
  t.true(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000) < 60);
  t.is(headers['webhook-signature'], signed(Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'), headers));
  const plain = headersOf(nodeEvent({ id: 'msg_1' }), body, 'shared');
  t.is(plain['webhook-signature'], signed('shared', plain));
  t.false('webhook-signature' in headersOf(nodeEvent(), body, undefined));
});

test('the signature of Standard Webhooks is that of its published example', (t) => {
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const text = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}';
  t.is(createHmac('sha256', key).update(text).digest('base64'), 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
