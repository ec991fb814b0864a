import test from 'ava';
import { Overlay, presentRows } from '../../../../engine/durable/live/overlay.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import type { Filter } from '../../../../engine/platform/store/port.ts';

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
  const overlay = new Overlay<WorkflowRow>(
    {
      get: async () => undefined,
      getAll: async () => [],
      unrecordedRows: async () => behind,
      movingRows: async () => behind,
    },
    record as never,
    presentRows,
  );
  await overlay.find(filter);
  await overlay.count(filter);
  return filters;
}

const moving = { id: 'w1', node: 'n2' } as WorkflowRow;

test('the documents get the fields of a filter at its top, where every store uses its indexes', async (t) => {
  for (const behind of [[], [moving]]) {
    for (const filter of await filtersOf(behind, { node: { $in: ['n1'] } })) t.deepEqual(filter.node, { $in: ['n1'] });
  }
});

test('a filter keeps its condition on a field that the overlay also limits', async (t) => {
  for (const filter of await filtersOf([moving], { id: { $in: ['w2'] } })) {
    t.deepEqual(filter.$and, [{ id: { $in: ['w2'] } }, { phase: { $ne: 'removed' }, id: { $nin: ['w1'] } }]);
  }
});
