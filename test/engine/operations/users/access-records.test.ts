import test from 'ava';
import { AccessRecords } from '../../../../engine/operations/users/access-records.ts';
import { type Epoch, KEPT_MS, localEpoch } from '../../../../engine/platform/cluster/epoch.ts';
import { deferred } from '../../../support/ava/deferred.ts';

/** A store with one record, which is counted how often it is read. */
function stored(epoch: Epoch) {
  const access = new AccessRecords(epoch);
  const store = { value: 'old', reads: 0 };
  const read = async () => {
    store.reads += 1;
    return store.value === '' ? undefined : { value: store.value };
  };
  return { store, access, read, recall: async () => (await access.recall('key', read))?.value };
}

/** One that a test sets. */
const settable = () => {
  const now: { value: string | undefined } = { value: '1' };
  return { now, epoch: { ...localEpoch(), read: async () => now.value } };
};

test('a record is read once in an epoch, also by concurrent requests, and again in the next', async (t) => {
  const { now, epoch } = settable();
  const { store, recall } = stored(epoch);
  t.deepEqual(await Promise.all([recall(), recall(), recall()]), ['old', 'old', 'old']);
  t.is(store.reads, 1);
  store.value = 'new';
  t.is(await recall(), 'old');
  now.value = '2';
  t.is(await recall(), 'new');
  now.value = '1';
  t.is(await recall(), 'new', 'an epoch that comes back has none of its records');
  t.is(store.reads, 3);
});

test('without an epoch each request reads, and what it read is not used later', async (t) => {
  const { now, epoch } = settable();
  const { store, recall } = stored(epoch);
  now.value = undefined;
  await recall();
  await recall();
  store.value = 'new';
  now.value = '1';
  t.is(await recall(), 'new');
  t.is(store.reads, 3);
});

test('a read that began before a change is not used after it', async (t) => {
  const epoch = localEpoch();
  const { access } = stored(epoch);
  const slow = deferred<{ value: string }>();
  const first = access.recall('key', () => slow.promise);
  // It asks for the epoch first.
  await new Promise(setImmediate);
  await epoch.change(async () => {});
  t.deepEqual(await access.recall('key', async () => ({ value: 'new' })), { value: 'new' });
  slow.resolve({ value: 'old' });
  t.deepEqual(await first, { value: 'old' });
  t.deepEqual(await access.recall('key', async () => ({ value: 'read again' })), { value: 'new' });
});

test('what is not there, and a failed read, are read again', async (t) => {
  const { store, access, recall } = stored(localEpoch());
  store.value = '';
  t.is(await recall(), undefined);
  store.value = 'there';
  t.is(await recall(), 'there');
  await t.throwsAsync(
    access.recall('other', () => Promise.reject(new Error('away'))),
    { message: 'away' },
  );
  t.deepEqual(await access.recall('other', async () => ({ value: 'back' })), { value: 'back' });
});

test('a record is used for two seconds at most, also if the epoch stays', async (t) => {
  const { store, recall } = stored(settable().epoch);
  const begin = performance.now();
  store.value = 'new';
  await recall();
  while (store.reads === 1) {
    await recall();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  t.true(performance.now() - begin >= KEPT_MS);
});
