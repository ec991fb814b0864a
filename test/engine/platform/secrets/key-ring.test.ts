/** Keys that are replaced: what was made with an earlier key is valid while the ring has that key, and then ends. */
import test from 'ava';
import { flattenedVerify, importJWK } from 'jose';
import { bootSpec, SouthboundKeys, type StoredBoot } from '../../../../engine/inventory/southbound/southbound-keys.ts';
import { type KeyRing, newKey, rotationSteps } from '../../../../engine/platform/secrets/key-ring.ts';
import { cipherOf } from '../../../../engine/platform/secrets/secrets.ts';
import { signerOf } from '../../../../engine/platform/secrets/signing.ts';
import { Vault } from '../../../../engine/platform/secrets/vault.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const { add, use, drop } = rotationSteps;
const before: KeyRing = [newKey()];
const added = add(before);
const used = use(added);
const after = drop(used);

test('a key is accepted before it is used, and accepted after another is used', (t) => {
  t.is(added[0], before[0]);
  t.is(used[0], added.at(-1) as string);
  t.deepEqual(used.toSorted(), added.toSorted());
  t.deepEqual(after, [used[0]]);
});

test('a step that changes nothing is rejected, and a ring is bounded', (t) => {
  t.throws(() => use(before), { code: 'CONFLICT', message: /add a new one first/ });
  t.throws(() => drop(after), { code: 'CONFLICT', message: /nothing to drop/ });
  let ring = before;
  t.throws(
    () => {
      for (let n = 0; n < 10; n += 1) ring = add(ring);
    },
    { code: 'CONFLICT', message: /there are 5 keys, the maximum/ },
  );
});

test('daemons at adjacent steps of a rotation accept each other, in both directions', async (t) => {
  const stored = await new MemoryStore().collection<StoredBoot>(bootSpec);
  for (const [one, other] of [
    [before, added],
    [added, used],
    [used, after],
  ] as [KeyRing, KeyRing][]) {
    for (const [maker, reader] of [
      [one, other],
      [other, one],
    ] as [KeyRing, KeyRing][]) {
      t.is(cipherOf(reader, 'obms').decrypt(cipherOf(maker, 'obms').encrypt('hush')), 'hush');
      const { value } = new Vault(maker).hiding();
      t.is(new Vault(reader).decrypt(value('hush-hush')).value, 'hush-hush');
      const [issuing, checking] = [new SouthboundKeys(stored, maker), new SouthboundKeys(stored, reader)];
      await issuing.begin('n', 'w', null);
      t.is(await checking.nodeOf(issuing.keyOf('n', 'w')), 'n');
      const jws = await (await signerOf(maker)).sign({ drives: 1 });
      const { keys } = await signerOf(reader);
      const verified = await Promise.allSettled(
        keys.map(async (key) => flattenedVerify(jws, await importJWK(key, 'EdDSA'))),
      );
      t.is(verified.filter(({ status }) => status === 'fulfilled').length, 1);
    }
  }
});

test('what was made with a dropped key is rejected', async (t) => {
  t.throws(() => cipherOf(after, 'obms').decrypt(cipherOf(before, 'obms').encrypt('hush')));
  t.throws(() => new Vault(after).decrypt(new Vault(before).hiding().value('hush-hush')), {
    code: 'SECRET_UNREADABLE',
  });
  const stored = await new MemoryStore().collection<StoredBoot>(bootSpec);
  const earlier = new SouthboundKeys(stored, before);
  await earlier.begin('n', 'w', null);
  t.is(await new SouthboundKeys(stored, after).nodeOf(earlier.keyOf('n', 'w')), undefined);
});
