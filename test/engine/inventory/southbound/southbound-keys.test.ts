/** Keys of boots on a store: which processes agree on them, and which are valid. */
import test from 'ava';
import { bootSpec, SouthboundKeys, type StoredBoot } from '../../../../engine/inventory/southbound/southbound-keys.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

async function opened() {
  const stored = await new MemoryStore().collection<StoredBoot>(bootSpec);
  const daemon = (secret = 'secret') => new SouthboundKeys(stored, [secret]);
  return { stored, daemon };
}

test('all daemons, including those that start later, issue the same key for a boot, and accept it', async (t) => {
  const { daemon } = await opened();
  const [one, two] = [daemon(), daemon()];
  const bound = await Promise.all([one.begin('n', 'w', '10.0.0.1'), two.begin('n', 'w', '10.0.0.1')]);
  t.deepEqual(bound, ['10.0.0.1', '10.0.0.1']);
  const key = one.keyOf('n', 'w');
  t.is(two.keyOf('n', 'w'), key);
  for (const each of [one, two, daemon()]) t.is(await each.nodeOf(key), 'n');
  t.is(await daemon('another secret').nodeOf(key), undefined);
});

test('one of many concurrent first addresses is bound', async (t) => {
  const { daemon } = await opened();
  const asked = Array.from({ length: 20 }, (_, n) => daemon().begin('n', 'w', `10.0.0.${n}`));
  t.is(new Set(await Promise.all(asked)).size, 1);
  t.is(await daemon().begin('n', 'w2', null), await daemon().addressOf('n'));
});

test('the two latest boots of a node are valid, in any order; a removed node has none', async (t) => {
  const { daemon } = await opened();
  const keys = daemon();
  for (const boot of ['a', 'b', 'a', 'c']) await keys.begin('n', boot, null);
  const known = async () => Promise.all(['a', 'b', 'c'].map((boot) => keys.nodeOf(keys.keyOf('n', boot))));
  t.deepEqual(await known(), ['n', undefined, 'n']);
  await keys.forget('n');
  t.deepEqual(await known(), [undefined, undefined, undefined]);
});

test('a string that is not a key of a node is not accepted as a key', async (t) => {
  const { daemon } = await opened();
  const keys = daemon();
  await keys.begin('n', 'w', null);
  const key = keys.keyOf('n', 'w');
  const mac = key.slice(2);
  const wrong = [
    '',
    '.',
    'n',
    'n.',
    `.${mac}`,
    `m.${mac}`,
    `n.${mac}x`,
    `n.${mac.slice(1)}`,
    `n.${mac} `,
    `n.n.${mac}`,
  ];
  for (const one of [...wrong, key.repeat(1_000), `n.${'A'.repeat(43)}`]) t.is(await keys.nodeOf(one), undefined, one);
});

test('a store contains no part of a key', async (t) => {
  const { stored, daemon } = await opened();
  const keys = daemon();
  await keys.begin('n', 'w', '10.0.0.1');
  t.false(JSON.stringify(await stored.find({})).includes(keys.keyOf('n', 'w').split('.')[1] as string));
});

test('each key has one text: any other last character is not accepted', async (t) => {
  const { daemon } = await opened();
  const keys = daemon();
  await keys.begin('n', 'w', null);
  const key = keys.keyOf('n', 'w');
  const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const accepted = await Promise.all(characters.map((last) => keys.nodeOf(key.slice(0, -1) + last)));
  t.deepEqual(
    characters.filter((_, n) => accepted[n] !== undefined),
    [key.slice(-1)],
  );
});
