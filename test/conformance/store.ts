/** Rules of every store. The test file of each adapter opens its own and passes it. */
import fc from 'fast-check';
import { Query } from 'mingo';
import { type Document, DuplicateError, type Filter, type Store } from '../../engine/platform/store/port.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { storePickConformance } from './store-picks.ts';
import { storeUpdateConformance } from './store-updates.ts';
import { storeWholeConformance } from './store-whole.ts';
import { type Declare, filled, fresh, ids, spec, type Thing, thing } from './things.ts';

export function storeConformance(test: Declare, open: () => Store): void {
  storePickConformance(test, open);
  storeUpdateConformance(test, open);
  storeWholeConformance(test, open);

  test('a document comes back as it was inserted', async (t) => {
    const things = await fresh(open());
    const odd = JSON.parse('{ "__proto__": { "toString": null } }');
    const document = thing('a', { name: 'x "\\ é 😀 \u0001', free: { list: [1, null, { nul: '\0' }], n: -0.5, odd } });
    await things.insert(document);
    t.deepEqual(await things.get('a'), document);
    t.is(await things.get('b'), undefined);
  });

  test('any JSON comes back as it was, whatever its keys', async (t) => {
    const things = await fresh(open());
    await fc.assert(
      fc.asyncProperty(json, async (drawn) => {
        const free = JSON.parse(JSON.stringify(drawn));
        await things.remove({});
        await things.insert(thing('a', { free }));
        t.deepEqual((await things.get('a'))?.free, free);
        const changed = await things.update({ id: 'a' }, { $set: { 'deep.key': 'k', free: [free] } });
        t.deepEqual(changed?.free, [free]);
      }),
      { numRuns: 100 },
    );
  });

  test('many reads and inserts at the same time have each their own answer', async (t) => {
    const things = await fresh(open());
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    // Each id is inserted three times, each serial number is taken by one id.
    const inserts = await Promise.allSettled(
      numbers.map((n) => things.insert(thing(`id ${n % 20}`, { name: `${n}`, serial: `${n % 10}` }))),
    );
    const winners = numbers.filter((n) => inserts[n]?.status === 'fulfilled');
    t.is(winners.length, 10);
    t.is(new Set(winners.map((n) => n % 10)).size, 10);
    const read = await Promise.all(numbers.map((n) => things.get(`id ${n % 20}`)));
    const names = new Map(winners.map((n) => [`id ${n % 20}`, `${n}`]));
    t.deepEqual(
      read.map((found) => found?.name),
      numbers.map((n) => names.get(`id ${n % 20}`)),
    );
    t.is(new Set(read.filter((found) => found !== undefined)).size, 30, 'no two callers have the same object');
  });

  test('an id that is taken is rejected, naming the id', async (t) => {
    const things = await filled(open(), thing('a', { name: 'old' }));
    const error = await t.throwsAsync(() => things.insert(thing('a')), { instanceOf: DuplicateError });
    t.is(error?.field, 'id');
    t.is((await things.get('a'))?.name, 'old');
  });

  test('a unique field that is taken is rejected by insert, update and replace, naming the field', async (t) => {
    const things = await filled(open(), thing('a', { serial: 's' }), thing('b', { serial: 't' }));
    const tries = [
      () => things.insert(thing('c', { serial: 's' })),
      () => things.insertMissing([thing('c', { serial: 's' })]),
      () => things.update({ id: 'b' }, { $set: { serial: 's' } }),
      () => things.replace([{ ...thing('b', { serial: 's' }), version: 2 }]),
    ];
    for (const run of tries) {
      const error = await t.throwsAsync(run, { instanceOf: DuplicateError });
      t.is(error?.field, 'serial');
    }
    t.is(await things.count({}), 2);
  });

  test('a unique field that is null or absent is free', async (t) => {
    const things = await filled(open(), thing('a', { serial: null }), thing('b'));
    await things.insert(thing('c', { serial: null }));
    t.is(await things.count({ serial: null }), 3);
  });

  test('insertMissing leaves what is there alone and adds the rest, also when one id comes twice', async (t) => {
    const things = await filled(open(), thing('a', { name: 'old' }));
    t.deepEqual(await things.insertMissing([thing('a', { name: 'new' }), thing('b'), thing('b')]), [
      false,
      true,
      false,
    ]);
    t.deepEqual(await things.insertMissing([]), []);
    t.is((await things.get('a'))?.name, 'old');
    t.deepEqual(ids(await things.find({})), ['a', 'b']);
  });

  test('replace writes what follows the stored version and nothing else, telling which', async (t) => {
    const things = await filled(open(), thing('a'), thing('b'), thing('c'));
    const next = (id: string, version: number) => ({ ...thing(id, { name: `v${version}` }), version });
    t.deepEqual(await things.replace([next('a', 2), next('b', 3), next('gone', 2), next('c', 2)]), [
      true,
      false,
      false,
      true,
    ]);
    t.deepEqual(
      (await things.find({})).map(({ name, version }) => [name, version]),
      [
        ['v2', 2],
        [undefined, 1],
        ['v2', 2],
      ],
    );
    t.deepEqual(await things.find({ name: 'v2' }, { limit: 1 }), [next('a', 2)]);
    t.deepEqual(await things.replace([]), []);
  });

  test('put writes the documents that are new or newer than the stored version, and no others', async (t) => {
    const things = await filled(open());
    const at = (id: string, version: number, name = `v${version}`) => ({ ...thing(id, { name }), version });
    await things.put([at('a', 3), at('b', 1)]);
    await things.put([at('a', 3, 'late'), at('b', 5), at('c', 2), at('a', 2), at('d', 1), at('d', 4)]);
    const stored = await things.find({});
    t.deepEqual(
      stored.map((found) => [found.id, found.version, found.name]),
      [
        ['a', 3, 'v3'],
        ['b', 5, 'v5'],
        ['c', 2, 'v2'],
        ['d', 4, 'v4'],
      ],
    );
    await things.put([]);
    t.is(await things.count({}), 4);
  });

  test('put writes the documents after one that is late', async (t) => {
    const things = await filled(open(), { ...thing('b'), version: 5 });
    const at = (id: string, version: number) => ({ ...thing(id), version });
    await things.put([at('a', 1), at('b', 2), at('c', 3), at('d', 4)]);
    t.deepEqual(
      (await things.find({})).map(({ id, version }) => [id, version]),
      [
        ['a', 1],
        ['b', 5],
        ['c', 3],
        ['d', 4],
      ],
    );
  });

  test('of versions of a new document that are put at the same time, the newest stays', async (t) => {
    const things = await filled(open());
    const ids = Array.from({ length: 30 }, (_, n) => `new${n}`);
    const versions = ids.flatMap((id) => [2, 4, 1, 3].map((version) => ({ ...thing(id), version })));
    await Promise.all(versions.map((version) => things.put([version])));
    t.deepEqual([...new Set((await things.find({})).map(({ version }) => version))], [4]);
  });

  test('of many that replace one version at the same time exactly one wins', async (t) => {
    const things = await filled(open(), thing('a'));
    const tries = Array.from({ length: 20 }, (_, n) => things.replace([{ ...thing('a', { size: n }), version: 2 }]));
    t.is((await Promise.all(tries)).flat().filter(Boolean).length, 1);
    const twice = { ...thing('a'), version: 3 };
    t.is((await things.replace([twice, twice])).filter(Boolean).length, 1);
  });

  test('what an index cannot hold is rejected, naming the field, and nothing is written', async (t) => {
    const things = await open().collection<Document & Record<string, unknown>>({
      name: 'strict',
      indexes: { name: 'text', size: 'number', tags: 'texts' },
    });
    const wrong = [
      { name: 'a\0b' },
      { name: 'half \ud83d' },
      { name: 5 },
      { name: ['x'] },
      { size: '5' },
      { tags: 'x' },
      { tags: [1] },
      { name: 'x'.repeat(3_000) },
    ];
    for (const fields of wrong) {
      const error = await t.throwsAsync(() => things.insertMissing([{ id: 'fine' }, { id: 'a', ...fields }]), {
        instanceOf: NodewrightError,
        code: 'INVALID',
      });
      t.is((error as NodewrightError).violations?.[0]?.path, Object.keys(fields)[0]);
    }
    for (const id of ['', 'a\0b']) await t.throwsAsync(() => things.insert({ id }), { code: 'INVALID' });
    t.is(await things.count({}), 0);
    await things.insert({ id: 'fine' });
    for (const $set of wrong) await t.throwsAsync(() => things.update({ id: 'fine' }, { $set }), { code: 'INVALID' });
    t.deepEqual(await things.find({}), [{ id: 'fine' }]);
    t.deepEqual(await things.find({ name: 'a\0b' }), []);
    t.is(await things.get('a\0b'), undefined);
    await things.remove({});
  });

  test('a condition that is undefined is none that everything meets', async (t) => {
    const things = await filled(open(), thing('a', { name: 'x' }), thing('b'));
    t.is(await things.remove({ name: undefined }), 1);
    t.deepEqual(ids(await things.find({})), ['a']);
  });

  test('remove deletes the matches and returns their number', async (t) => {
    const many = Array.from({ length: 250 }, (_, n) => thing(`n${n}`, { size: n, free: n % 2 }));
    const things = await filled(open(), ...many);
    t.is(await things.remove({ size: { $lt: 10 } }), 10);
    t.is(await things.remove({ free: 1 }), 120);
    t.is(await things.remove({ free: 1 }), 0);
    t.is(await things.remove({}), 120);
    t.is(await things.count({}), 0);
  });

  test('a filter by a value finds the lists that hold it', async (t) => {
    const things = await filled(open(), thing('a', { tags: ['x', 'y'], free: ['u'] }), thing('b', { tags: ['y'] }));
    t.deepEqual(ids(await things.find({ tags: 'x' })), ['a']);
    t.deepEqual(ids(await things.find({ tags: { $in: ['x', 'y'] } })), ['a', 'b']);
    t.deepEqual(ids(await things.find({ free: 'u' })), ['a']);
  });

  test('without a sort documents come by id, a thousand at most', async (t) => {
    const many = Array.from({ length: 1_100 }, (_, n) => thing(`n${String(n).padStart(4, '0')}`, { free: n }));
    const things = await filled(open(), ...many.toReversed());
    t.deepEqual(ids(await things.find({})), ids(many.slice(0, 1_000)));
    t.deepEqual(ids(await things.find({ free: { $gte: 0 } })), ids(many.slice(0, 1_000)));
    t.deepEqual(ids(await things.find({ free: { $gte: 300 } }, { limit: 2, skip: 5 })), ['n0305', 'n0306']);
    t.is(await things.count({ free: { $gte: 300 } }), 800);
  });

  test('ties in a sort are broken by id, and pages do not overlap', async (t) => {
    const many = Array.from({ length: 300 }, (_, n) =>
      thing(`n${String(n).padStart(3, '0')}`, { size: n % 3, free: n % 3 }),
    );
    const things = await filled(open(), ...many);
    for (const field of ['size', 'free']) {
      const pages: string[] = [];
      for (let skip = 0; skip < 300; skip += 70) {
        pages.push(...ids(await things.find({}, { sort: { [field]: -1 }, skip, limit: 70 })));
      }
      t.deepEqual(pages, ids(many.toSorted((a, b) => Number(b.size) - Number(a.size) || (a.id < b.id ? -1 : 1))));
    }
  });

  test('the same name gives the same collection', async (t) => {
    const store = open();
    const [one, other] = await Promise.all([store.collection(spec('same')), store.collection(spec('same'))]);
    t.is(one, other);
  });

  test('ping resolves', (t) => t.notThrowsAsync(() => open().ping()));

  test('find gives what the query language gives over all documents, for any filter and sort', async (t) => {
    const things = await fresh(open());
    await fc.assert(
      fc.asyncProperty(fc.array(documents, { maxLength: 12 }), filters, sorts, async (drafts, filter, sort) => {
        await things.remove({});
        const all = drafts.map((draft, n) => ({ ...draft, id: `d${n}`, version: 1 }) as Thing);
        await things.insertMissing(all);
        const expected = new Query(filter)
          .find<Thing>(all)
          .sort({ ...sort, id: 1 })
          .all();
        t.deepEqual(ids(await things.find(filter, { sort })), ids(expected));
        t.is(await things.count(filter), expected.length);
      }),
      { numRuns: 250 },
    );
  });
}

/** mingo, and so the embedded store's update, drops a key named `__proto__`. */
const keys = fc
  .oneof(fc.string(), fc.constantFrom('', 'a.b', '$set', '$', '%', '%2E', 'a\0b', 'id', '_id', '1'))
  .filter((key) => key !== '__proto__');
const { json } = fc.letrec<{ json: unknown; list: unknown[]; fields: Record<string, unknown> }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true),
    tie('list'),
    tie('fields'),
  ),
  list: fc.array(tie('json'), { maxLength: 3 }),
  fields: fc.dictionary(keys, tie('json'), { maxKeys: 4 }),
}));

/** Includes texts that a store might confuse with a list, a number, or the end of a text. */
const text = fc.constantFrom('a', 'b', 'ab', 'a b', '', 'é', '[a', '1', '"');
const number = fc.constantFrom(-1, 0, 0.5, 2);
const documents = fc.record(
  {
    name: fc.option(text),
    size: fc.option(number),
    on: fc.option(fc.boolean()),
    tags: fc.option(fc.array(text, { maxLength: 3 })),
    deep: fc.record({ key: text }, { requiredKeys: [] }),
    free: fc.oneof(text, number, fc.constant(null), fc.array(text, { maxLength: 2 })),
  },
  { requiredKeys: [] },
);

const path = fc.constantFrom('name', 'size', 'on', 'tags', 'deep.key', 'free', 'id');
/** Without null: stores differ in the comparison of null with null. */
const comparable = fc.oneof(text, number, fc.boolean(), fc.constant('d1'));
const value = fc.oneof(comparable, fc.constant(null));
const operator = fc.oneof(
  fc.record({ $eq: value }),
  fc.record({ $ne: value }),
  fc.record({ $in: fc.array(value, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(value, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $gt: comparable }),
  fc.record({ $gte: fc.oneof(text, number), $lt: fc.oneof(text, number) }),
  fc.record({ $lte: comparable }),
  fc.record({ $not: fc.record({ $gt: fc.oneof(text, number) }) }),
  fc.record({ $regex: fc.constantFrom('^a', 'b') }),
);
const condition: fc.Arbitrary<Filter> = fc
  .tuple(path, fc.oneof(value, operator))
  .map(([key, wanted]) => ({ [key]: wanted }));
const filters: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 4, arbitrary: fc.array(condition, { maxLength: 3 }).map((list) => Object.assign({}, ...list)) },
  { weight: 1, arbitrary: fc.array(condition, { minLength: 1, maxLength: 2 }).map((list) => ({ $or: list })) },
  { weight: 1, arbitrary: fc.array(condition, { minLength: 1, maxLength: 3 }).map((list) => ({ $and: list })) },
);
const sorts: fc.Arbitrary<Record<string, 1 | -1>> = fc
  .uniqueArray(fc.constantFrom('name', 'size', 'on', 'deep.key'), { maxLength: 2 })
  .chain((paths) => fc.tuple(...paths.map((key) => fc.constantFrom<1 | -1>(1, -1).map((way) => [key, way]))))
  .map((pairs) => Object.fromEntries(pairs));
