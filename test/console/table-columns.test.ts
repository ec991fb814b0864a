/** Tables: which columns are shown, in which order the rows are, and which workflows take a command to many. */
import test from 'ava';
import type { GetAnswer } from '../../api/client/requests.ts';
import { disabledReason, takersOf } from '../../api/console/parts/bulk/bulk-texts.ts';
import { namesOfChoice, shownColumns } from '../../api/console/parts/table/table-columns.ts';
import { directionOf, nextSort } from '../../api/console/parts/table/table-order.ts';

const column = (name: string, use?: 'always' | 'chosen') => ({
  name,
  title: name,
  width: '25%',
  card: 'fact' as const,
  cell: () => name,
  ...(use !== undefined && { use }),
});
const columns = [column('name', 'always'), column('state'), column('place'), column('id', 'chosen')];
const shown = (chosen?: string) =>
  shownColumns(columns, chosen).map(({ name, width }) => [name, Number.parseInt(width, 10)]);

test('chosen columns are shown beside those that always are, and share the width', (t) => {
  t.deepEqual(shown(), [
    ['name', 33],
    ['state', 33],
    ['place', 33],
  ]);
  t.deepEqual(shown('id,bogus'), [
    ['name', 50],
    ['id', 50],
  ]);
  t.deepEqual(shown('none'), [['name', 100]]);
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
  ({ paused: null, parent: null, error: null, ...given }) as GetAnswer<'/workflows'>[number];

test('a command is for those that take it; if none does, the reasons are named', (t) => {
  const [running, failed] = [workflow({ id: 'r', status: 'running' }), workflow({ id: 'f', status: 'failed' })];
  const { takers, others } = takersOf('retry', [running, failed]);
  t.deepEqual(
    takers.map(({ id }) => id),
    ['f'],
  );
  t.deepEqual([...others.values()], [1]);
  t.is(disabledReason(takersOf('pause', [failed])), 'The workflow has ended.');
  t.is(disabledReason(takersOf('pause', [])), 'Select workflows first.');
});
