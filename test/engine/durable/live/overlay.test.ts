import test from 'ava';
import fc from 'fast-check';
import { Overlay, presentRows } from '../../../../engine/durable/live/overlay.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import type { Filter } from '../../../../engine/platform/store/port.ts';
import { Query } from '../../../../engine/platform/store/query.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

/** @param behind rows whose documents are behind @param record documents */
function overlayOf(behind: WorkflowRow[], record: object): Overlay<WorkflowRow> {
  const live = {
    get: async () => undefined,
    getAll: async () => [],
    unrecordedRows: async () => behind,
    movingRows: async () => behind,
  };
  return new Overlay<WorkflowRow>(live, record as never, presentRows, ['node']);
}

/** @param behind rows whose documents are behind @returns the filters that the documents got */
async function filtersOf(behind: WorkflowRow[], filter: Filter): Promise<Filter[]> {
  const filters: Filter[] = [];
  const note =
    <R>(answer: R) =>
    async (others: Filter) => {
      filters.push(others);
      return answer;
    };
  const record = { find: note([]), count: note(0) };
  const overlay = overlayOf(behind, record);
  await overlay.find(filter);
  await overlay.count(filter);
  return filters;
}

const moving = { id: 'w1', node: 'n1' } as WorkflowRow;

test('the documents get the fields of a filter at its top, where every store uses its indexes', async (t) => {
  for (const behind of [[], [moving]]) {
    for (const filter of await filtersOf(behind, { node: { $in: ['n1'] } })) t.deepEqual(filter.node, { $in: ['n1'] });
  }
});

test('a filter keeps its condition on a field that the overlay also limits', async (t) => {
  for (const filter of await filtersOf([moving], { id: { $in: ['w1', 'w2'] } })) {
    t.deepEqual(filter.$and, [{ id: { $in: ['w1', 'w2'] } }, { phase: { $ne: 'removed' }, id: { $nin: ['w1'] } }]);
  }
});

test('rows with another value of a fixed field are not named to the documents', async (t) => {
  const others = Array.from({ length: 1_000 }, (_, at) => ({ id: `o${at}`, node: `n${at + 2}` }) as WorkflowRow);
  for (const filter of [{ node: 'n1' }, { node: { $in: ['n1'] } }, { node: 'n1', status: 'running' }, { id: 'w1' }])
    for (const asked of await filtersOf([...others, moving], filter))
      t.regex(JSON.stringify(asked), /"id":\{"\$nin":\["w1"\]\}/, JSON.stringify(filter));
});

const ids = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6'];
const statuses = fc.constantFrom('pending', 'running', 'failed');
const nodeIds = fc.constantFrom('n1', 'n2', null);
const conditionOn = (values: fc.Arbitrary<string | null>): fc.Arbitrary<unknown> =>
  fc.oneof(
    values,
    fc.array(values, { minLength: 1, maxLength: 3 }).map(($in) => ({ $in })),
    values.map(($ne) => ({ $ne })),
  );

/** The node of a row never changes; its status does after its document. */
const drawnRow = (id: string) =>
  fc.record({
    id: fc.constant(id),
    node: nodeIds,
    status: statuses,
    recorded: fc.option(statuses),
    isBehind: fc.boolean(),
  });

test('a filter finds the rows as they are now, whatever their documents say', async (t) => {
  const filters = fc.record(
    {
      id: conditionOn(fc.constantFrom(...ids)),
      node: conditionOn(nodeIds),
      status: conditionOn(statuses),
      $and: fc.array(fc.record({ node: conditionOn(nodeIds) }), { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  const property = fc.asyncProperty(fc.tuple(...ids.map(drawnRow)), filters, async (rows, filter) => {
    const record = await new MemoryStore().collection<WorkflowRow>({ name: 'rows', indexes: {} });
    // A row whose document is not behind has one that is equal to it.
    const documents = rows.flatMap(({ id, node, status, recorded, isBehind }) =>
      isBehind ? (recorded === null ? [] : [{ id, node, status: recorded }]) : [{ id, node, status }],
    );
    await record.insertMissing(documents as unknown as WorkflowRow[]);
    const now = rows.map(({ id, node, status }) => ({ id, node, status }));
    const behind = now.filter((_, at) => rows[at]?.isBehind) as unknown as WorkflowRow[];
    const overlay = overlayOf(behind, record);
    const query = new Query(filter);
    const matching = now.filter((row) => query.test(row));
    const found = await overlay.find(filter as Filter);
    t.deepEqual(
      found.map(({ id, status }) => ({ id, status })),
      matching.map(({ id, status }) => ({ id, status })) as never,
    );
    t.is(await overlay.count(filter as Filter), matching.length);
  });
  await fc.assert(property);
});
