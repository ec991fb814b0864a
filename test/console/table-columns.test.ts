/** Tables: which columns are shown, in which order the rows are, which rows a click chooses, and which workflows take a command to many. */
import test from 'ava';
import type { GetAnswer } from '../../api/client/requests.ts';
import { isNamedAsModel, nodeCardHeight } from '../../api/console/pages/nodes/node-row.ts';
import { disabledReason, takersOf } from '../../api/console/parts/bulk/bulk-texts.ts';
import { leastWidth } from '../../api/console/parts/table/least-width.ts';
import { withRows } from '../../api/console/parts/table/row-range.ts';
import { rowEdges, rowsInView } from '../../api/console/parts/table/rows-in-view.ts';
import { namesOfChoice, shownColumns } from '../../api/console/parts/table/table-columns.ts';
import { directionOf, nextSort } from '../../api/console/parts/table/table-order.ts';

const column = (name: string, use?: 'always' | 'chosen') => ({
  name,
  ...(use !== undefined && { use }),
});
const columns = [column('name', 'always'), column('state'), column('place'), column('id', 'chosen')];
const namesFor = (chosen?: string) => shownColumns(columns, chosen).map(({ name }) => name);

test('chosen columns are shown beside those that always are', (t) => {
  t.deepEqual(namesFor(), ['name', 'state', 'place']);
  t.deepEqual(namesFor('id,bogus'), ['name', 'id']);
  t.deepEqual(namesFor('none'), ['name']);
});

test('a table scrolls sideways below the sum of its widths, unless they are shares', (t) => {
  t.is(leastWidth([{ width: '6.5rem' }, { width: '12rem' }]), '18.5rem');
  t.is(leastWidth([{ width: '6.5rem' }, { width: '40%' }]), undefined);
});

test('a SKU that is named like the model says no more, and racks have lower cards', (t) => {
  const names = new Map([['1', 'PowerEdge R650']]);
  t.true(isNamedAsModel({ sku: '1', model: 'PowerEdge R650' }, names));
  t.false(isNamedAsModel({ sku: '1', model: 'PowerEdge R750' }, names));
  t.false(isNamedAsModel({ sku: '2', model: 'PowerEdge R650' }, names));
  t.false(isNamedAsModel({ sku: null }, names));
  t.true(nodeCardHeight({ active: null }) < nodeCardHeight({ active: null, model: 'PowerEdge R650' }));
});

test('the rows in view are drawn with some beside them, and the others keep their room', (t) => {
  const heights = [...Array(100).keys()].map((row) => (row % 2 === 0 ? 50 : 100));
  const edges = rowEdges(heights, (height) => height);
  t.is(edges.at(-1), 7_500);
  for (const top of [0, 40, 3_000, 7_400, 9_000]) {
    const { first, end, above, below } = rowsInView(edges, top, 600);
    const drawn = heights.slice(first, end).reduce((sum, height) => sum + height, 0);
    t.is(above + drawn + below, 7_500, 'the list keeps its height');
    t.true(above <= top && above + drawn >= Math.min(7_500, top + 600), `from ${top}`);
    t.true(end - first <= 8 + 2 * 6 + 2);
  }
  t.deepEqual(rowsInView(rowEdges([], Number), 0, 600), { first: 0, end: 0, above: 0, below: 0 });
});

test('a choice is named in the address, unless it is the usual one', (t) => {
  t.is(namesOfChoice(columns, new Set(['state', 'place'])), undefined);
  t.is(namesOfChoice(columns, new Set(['id', 'state'])), 'state,id');
  t.is(namesOfChoice(columns, new Set()), 'none');
});

test('a header sorts by its column, and a second click turns the order', (t) => {
  t.is(nextSort('-createdAt', 'status'), '-createdAt');
  t.is(nextSort('-createdAt', '-createdAt'), 'createdAt');
  t.is(nextSort('-createdAt', 'createdAt'), '-createdAt');
  t.is(directionOf('-createdAt', 'createdAt'), 'ascending');
  t.is(directionOf('status', '-status'), 'descending');
  t.is(directionOf('status', 'createdAt'), undefined);
});

const workflow = (given: Partial<GetAnswer<'/workflows'>[number]>) =>
  ({ node: null, paused: null, parent: null, error: null, ...given }) as GetAnswer<'/workflows'>[number];

test('a command is for those that take it; if none does, the reasons are named', (t) => {
  const [running, failed] = [workflow({ id: 'r', status: 'running' }), workflow({ id: 'f', status: 'failed' })];
  const { takers, others } = takersOf('retry', [running, failed]);
  t.deepEqual(
    takers.map(({ id }) => id),
    ['f'],
  );
  t.deepEqual([...others.values()], [1]);
  t.is(disabledReason(takersOf('pause', [failed])), 'The workflow has ended.');
});

test('a retry is not for runs that a newer one has replaced', (t) => {
  const run = (id: string, given: Partial<GetAnswer<'/workflows'>[number]> = {}) =>
    workflow({ id, status: 'failed', injectableName: 'Graph.A', node: 'n', createdAt: id, ...given });
  const idsFor = (chosen: readonly GetAnswer<'/workflows'>[number][], listed = chosen) =>
    takersOf('retry', chosen, listed).takers.map(({ id }) => id);
  t.deepEqual(idsFor([run('1'), run('3'), run('2'), run('0', { node: 'm' })]), ['3', '0']);
  t.deepEqual(idsFor([run('1')], [run('1'), run('9', { retryOf: '1', status: 'running' })]), []);
  t.deepEqual(idsFor([run('1', { node: null }), run('2', { node: null })]), ['1', '2']);
});

const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));
const clicked = (chosen: readonly string[], id: string, isChosen: boolean, from?: string) =>
  [...withRows(new Set(chosen), rows, { id, isChosen }, from)].toSorted().join('');

test('a click chooses a row, and with Shift all rows since the one before, in either direction', (t) => {
  t.is(clicked([], 'b', true), 'b');
  t.is(clicked(['b'], 'd', true, 'b'), 'bcd');
  t.is(clicked(['e'], 'b', true, 'd'), 'bcde');
  t.is(clicked(['a', 'b', 'c', 'd', 'z'], 'd', false, 'b'), 'az');
});

test('a range that begins at a row which is not shown any more is the one row', (t) => {
  t.is(clicked(['z'], 'c', true, 'z'), 'cz');
});
