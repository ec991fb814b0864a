import test from 'ava';
import { type StoredUser, UserRequests, userSpec } from '../../../../engine/operations/users/user-requests.ts';
import { Leases } from '../../../../engine/platform/cluster/leases.ts';
import { SerializedChanges } from '../../../../engine/platform/cluster/serialized-changes.ts';
import { ADMINISTRATOR } from '../../../../engine/vocabulary/roles.ts';
import { fieldOf } from '../../../conformance/leases.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

test('a process that lost its lease since it counted the Administrators removes none', async (t) => {
  const store = new MemoryStore();
  const users = await store.collection<StoredUser>(userSpec);
  for (const id of ['u1', 'u2']) {
    await users.insert({ id, username: id, role: ADMINISTRATOR, password: '', createdAt: '', updatedAt: '' });
  }
  const record = await fieldOf(store, 'administrators');
  // Each process takes the other one for silent.
  const heard = async () => false;
  const guardOf = (id: string) =>
    new SerializedChanges(new Leases(() => record, id, { isHeard: heard, isAlive: heard }), 'administrators', 'users');
  const other = new UserRequests(users, guardOf('other'));
  const blocked = Object.assign(Object.create(users) as typeof users, {
    async find(...args: Parameters<typeof users.find>) {
      const found = await users.find(...args);
      t.true(await other.remove('u2'));
      return found;
    },
  });
  await t.throwsAsync(new UserRequests(blocked, guardOf('blocked')).remove('u1'), { code: 'UNAVAILABLE' });
  t.is(await users.count({ role: ADMINISTRATOR }), 1);
});
