import test from 'ava';
import { LastSeen } from '../../../../engine/operations/users/last-seen.ts';
import type { Collection } from '../../../../engine/platform/store/port.ts';

interface Token {
  id: string;
  lastUsedAt?: string;
}

/** Updates are made one after the other, each after a turn. */
function counting(update: (id: string) => Promise<undefined> = async () => undefined) {
  const ids: string[] = [];
  const failures: unknown[] = [];
  const stored: Pick<Collection<Token>, 'update'> = {
    update(filter) {
      ids.push(String(filter.id));
      return update(String(filter.id));
    },
  };
  return { ids, failures, seen: new LastSeen(stored, 'lastUsedAt', (error) => failures.push(error)) };
}

test('each is noted once, however often it is seen, and not if it was noted a short time ago', async (t) => {
  const { ids, seen } = counting();
  const recent = new Date(Date.now() - 60_000).toISOString();
  const old = new Date(Date.now() - 600_000).toISOString();
  for (let times = 0; times < 500; times += 1) {
    seen.note({ id: 'new' });
    seen.note({ id: 'recent', lastUsedAt: recent });
    seen.note({ id: 'old', lastUsedAt: old });
  }
  await seen.close();
  t.deepEqual(ids, ['new', 'old']);
});

test('a store that fails is asked once for each, and the failure is reported', async (t) => {
  const { ids, failures, seen } = counting(() => Promise.reject(new Error('away')));
  seen.note({ id: 'a' });
  await seen.close();
  seen.note({ id: 'a' });
  await seen.close();
  t.deepEqual(ids, ['a']);
  t.is(failures.length, 1);
});

test('the writes under way are limited, and all have ended when it is closed', async (t) => {
  const waiting: (() => void)[] = [];
  const { ids, seen } = counting(() => new Promise((resolve) => waiting.push(() => resolve(undefined))));
  for (let n = 0; n < 1_000; n += 1) seen.note({ id: `t${n}` });
  t.is(ids.length, 100);
  let isClosed = false;
  const closed = seen.close().then(() => {
    isClosed = true;
  });
  await Promise.resolve();
  t.false(isClosed);
  for (const end of waiting) end();
  await closed;
  seen.note({ id: 't999' });
  t.is(ids.at(-1), 't999', 'what found no room is noted later');
});
