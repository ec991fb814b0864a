import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import Database from 'libsql';
import { workflowSpec } from '../../../../engine/durable/live/specs.ts';
import { latestSpec } from '../../../../engine/inventory/nodes/catalogs.ts';
import { tableOf } from '../../../../engine/platform/store/columns.ts';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { type Order, order, select } from '../../../../engine/platform/store/filter.ts';
import { countQuery, newestQuery, pageQuery } from '../../../../engine/platform/store/page-query.ts';
import type { CollectionSpec, Filter } from '../../../../engine/platform/store/port.ts';
import { folder } from '../../../support/ava/folder.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';

const store = embeddedStore(test);

const nodes = ['n1', 'n2', 'n3'];
const statuses = ['pending', 'running', 'succeeded', 'failed'];
const spec = (name: string, newest?: readonly string[]): CollectionSpec => ({
  name,
  indexes: { node: 'text', status: 'text', createdAt: 'text' },
  ...(newest && { newest }),
  scanned: { name: 'text', rank: 'number' },
});
/** More than are sorted; most of one node, and many created at the same time. */
const many = Array.from({ length: 2_500 }, (_, n) => ({
  id: `w${(n * 7_919) % 2_500}`,
  node: n % 3 === 0 ? null : (nodes[n % 8 === 0 ? 1 : n % 40 === 1 ? 2 : 0] as string),
  status: statuses[n % 5 === 0 ? 1 : n % 3] as string,
  name: `name${n % 300 === 0 ? 0 : n % 2}`,
  rank: n % 13,
  createdAt: `2026-01-01T00:00:00.${String(Math.floor(n / 9)).padStart(3, '0')}Z`,
}));

const oneOf = (values: readonly (string | null)[]) => fc.constantFrom(...values);
const condition = (values: readonly (string | null)[]) =>
  fc.oneof(
    oneOf(values),
    fc.subarray([...values]).map((some) => ({ $in: some })),
    oneOf(values).map((value) => ({ $ne: value })),
  );
const filters = fc.record(
  {
    node: condition([...nodes, null, 'none']),
    status: condition([...statuses, null]),
    name: condition(['name0', 'name1', 'none', null]),
    rank: fc.record({ $gt: fc.nat(14) }),
    createdAt: fc.record({ $gte: oneOf(many.map((one) => one.createdAt)) }),
  },
  { requiredKeys: [] },
);
const options = fc.record({
  sort: fc.constantFrom<Record<string, 1 | -1>>(
    { createdAt: 1 },
    { createdAt: -1 },
    { status: 1 },
    { name: -1 },
    { rank: 1 },
    {},
  ),
  skip: fc.constantFrom(0, 3, 900, 1_500),
  limit: fc.constantFrom(2, 100, 1_000),
});

test('any page of a list, and the newest of each value, are those that a sort of all matches gives', async (t) => {
  const declared = spec('lists', ['node', 'status']);
  const [ours, naive] = await Promise.all(
    [store(), new MemoryStore()].map((each) => each.collection<(typeof many)[number]>(declared)),
  );
  for (const each of [ours, naive])
    for (let from = 0; from < many.length; from += 500) await each?.insertMissing(many.slice(from, from + 500));
  await fc.assert(
    fc.asyncProperty(filters, options, async (filter, page) => {
      t.deepEqual(await ours?.find(filter, page), await naive?.find(filter, page));
      t.deepEqual(await ours?.pick(['node', 'rank'], filter, page), await naive?.pick(['node', 'rank'], filter, page));
      t.is(await ours?.count(filter), await naive?.count(filter));
    }),
    { numRuns: 150 },
  );
  for (const limit of [1, 7, 5_000]) {
    const values = [...nodes, 'none', 'n1'];
    const last = await ours?.lastOf(['createdAt', 'node'], 'node', values, limit);
    t.deepEqual(last, await naive?.lastOf(['createdAt', 'node'], 'node', values, limit));
  }
});

test('lists of workflows and catalogs read no table from end to end, and sort no documents but those of a page', async (t) => {
  const dataDir = folder(t);
  const opened = await openEmbeddedStore({ dataDir });
  for (const each of [workflowSpec, latestSpec]) await opened.collection(each);
  await opened.close();
  const db = new Database(join(dataDir, 'database.sqlite'));
  const planOf = (text: string, params: readonly unknown[]) =>
    (db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(params) as { detail: string }[]).map(({ detail }) => detail);
  for (const [each, column] of [[workflowSpec, 'id'] as const, [latestSpec, '"text:catalog"'] as const]) {
    const plan = planOf(newestQuery(tableOf(each), [column], 'node'), ['[]', 5]);
    t.deepEqual(
      plan.filter((line) => /TEMP B-TREE|SCAN (?!one )/.test(line) && !/SCAN \(?(sub|SUB)/.test(line)),
      [],
      plan.join('\n'),
    );
  }
  const table = tableOf(workflowSpec);
  const lists: Filter[] = [
    {},
    { node: 'n' },
    { status: 'failed' },
    { status: { $in: ['pending', 'running'] } },
    { root: null, status: { $in: ['pending', 'running'] } },
    { root: null, startedAt: { $gte: '2026' } },
    { name: 'n', createdAt: { $gt: '2026' } },
    { definitionHash: { $in: ['a', 'b'] } },
  ];
  for (const filter of lists) {
    const selection = select(table, filter);
    for (const path of ['createdAt', 'launchedBy', 'status'])
      for (const way of [1, -1] as const) {
        const by = order(table, { [path]: way }) as Order;
        const { many: text, params, last } = pageQuery(table, ['doc'], selection, by, [1_000, 0]);
        const plan = planOf(text, [...params, ...last]);
        t.deepEqual(
          plan.filter((line) => /^SCAN workflows(?! USING)/.test(line)),
          [],
          plan.join('\n'),
        );
      }
    const counting = planOf(countQuery(table, selection), selection.params);
    t.regex(counting.join(), /USING (COVERING )?INDEX/);
  }
  db.close();
});

test('an index of the newest is made for the documents of an earlier version', async (t) => {
  const dataDir = folder(t);
  const earlier = await openEmbeddedStore({ dataDir });
  await (await earlier.collection(spec('lists'))).insertMissing(many.slice(0, 500));
  await earlier.close();
  const now = await openEmbeddedStore({ dataDir });
  const lists = await now.collection<(typeof many)[number]>(spec('lists', ['node']));
  const last = await lists.lastOf(['node'], 'node', ['n2'], 3);
  const wanted = await lists.pick(['node'], { node: 'n2' }, { sort: { createdAt: -1 }, limit: 3 });
  t.is(wanted.length, 3);
  t.deepEqual(last, wanted);
  await now.close();
});

test('a value that most documents lack does not find them where another condition does', async (t) => {
  const dataDir = folder(t);
  const opened = await openEmbeddedStore({ dataDir });
  await opened.collection(workflowSpec);
  await opened.close();
  const db = new Database(join(dataDir, 'database.sqlite'));
  const table = tableOf(workflowSpec);
  const indexIn = (filter: Filter) => {
    const selection = select(table, filter);
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${countQuery(table, selection)}`).all(selection.params);
    return /INDEX (\S+)/.exec((rows as { detail: string }[])[0]?.detail ?? '')?.[1];
  };
  t.is(indexIn({ root: null }), 'workflows:text:root');
  for (const root of [null, { $eq: null }, { $in: [null] }])
    t.is(indexIn({ root, status: { $in: ['pending', 'running'] } }), 'workflows:newest:status');
  t.is(indexIn({ root: null, finishedAt: { $gte: '2026' } }), 'workflows:text:finishedAt');
  t.is(indexIn({ root: null, node: { $in: ['n'] }, createdAt: { $gte: '2026' } }), 'workflows:newest:node');
  t.regex(indexIn({ root: null, startedAt: { $gte: '2026' } }) ?? '', /^workflows:scan:/);
  t.is(indexIn({ root: null, batch: null }), 'workflows:text:batch');
});
