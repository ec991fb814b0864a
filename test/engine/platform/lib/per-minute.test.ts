/** The counters of quotas, with a clock of the test. */
import test from 'ava';
import { AtOnce, PerMinute, senderGroup } from '../../../../engine/platform/lib/per-minute.ts';

test('a quota per minute can be used immediately, refills evenly, and states when to retry', (t) => {
  let now = 0;
  const quota = new PerMinute(60, () => now);
  for (let n = 0; n < 60; n += 1) t.is(quota.take('a'), 0);
  t.is(quota.take('a'), 1);
  t.is(quota.take('b'), 0, 'each key has its own quota');
  now = 1_000;
  t.is(quota.take('a'), 0);
  t.is(quota.take('a'), 1);
  quota.refund('a');
  t.is(quota.take('a'), 0);
  now = 3_600_000;
  for (let n = 0; n < 60; n += 1) t.is(quota.take('a'), 0);
  t.true(quota.take('a') > 0, 'no more than the quota is saved up');
});

test('a quota below one a second states the time to wait', (t) => {
  const quota = new PerMinute(1, () => 0);
  t.is(quota.take(), 0);
  t.is(quota.take(), 60);
});

test('a limited number of keys is remembered, the most recent ones', (t) => {
  const quota = new PerMinute(1, () => 0, 100);
  for (let n = 0; n < 10_000; n += 1) t.is(quota.take(`sender ${n}`), 0);
  t.is(quota.take('sender 9999'), 60);
  t.is(quota.take('sender 9899'), 0, 'a forgotten key begins anew');
});

test('running requests count until they end, and leave nothing behind', (t) => {
  const quota = new AtOnce(10);
  const ends = [quota.take('a', 4), quota.take('a', 6)];
  t.is(quota.take('a'), undefined);
  t.is(typeof quota.take('b', 10), 'function');
  for (const end of ends) end?.();
  const again = quota.take('a', 10);
  t.is(typeof again, 'function');
  again?.();
  t.is(quota.size, 1);
});

test('the sender of IPv6 is its network, however the address is written', (t) => {
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::']) {
    t.is(senderGroup(address), '2001:db8:1:2');
  }
  t.is(senderGroup('2001:db8::1'), '2001:db8:0:0');
  t.is(senderGroup('::1'), '0:0:0:0');
  t.is(senderGroup('10.0.0.1'), '10.0.0.1');
});
