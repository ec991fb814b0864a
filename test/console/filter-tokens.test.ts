/** The line of filters of the list of nodes. */
import test from 'ava';
import {
  filterOfLine,
  lineCompletions,
  lineOfFilter,
  lineProblem,
} from '../../api/console/parts/node-filter/filter-tokens.ts';
import { tokenValues } from '../../api/console/parts/node-filter/filter-values.ts';
import { emptyFilter } from '../../api/console/parts/node-filter/node-filter.ts';

const skuNames = new Map([
  ['s1', 'PowerEdge R650'],
  ['s2', 'PowerEdge R740'],
]);
const values = tokenValues(
  { tags: ['gpu', 'green', 'twin-1'], types: ['compute', 'rack'], racks: ['r01', 'r12'] },
  skuNames,
);
const filterOf = (line: string) => filterOfLine(line, values, skuNames);

test('a line has tokens and words, and comes back as it was', (t) => {
  const line = 'status:failed health:critical sku:"PowerEdge R650" rack:r12 tag:gpu r12 s04';
  const filter = filterOf(line);
  const fields = { state: 'failed', health: 'critical', sku: 's1', rack: 'r12', tag: 'gpu', q: 'r12 s04' } as const;
  t.deepEqual(filter, { ...emptyFilter, ...fields });
  t.is(lineOfFilter(filter, skuNames), line);
  t.is(filterOf('state:busy').state, 'busy', 'another word for the status');
});

test('a part of a name is enough, and of several all count', (t) => {
  t.is(filterOf('sku:r650').sku, 's1');
  t.is(filterOf('sku:"PowerEdge R7').sku, 's2');
  t.is(filterOf('sku:poweredge').sku, 's1,s2');
  t.is(lineOfFilter(filterOf('sku:poweredge'), skuNames), 'sku:"PowerEdge R650,PowerEdge R740"');
  t.is(filterOf('tag:twin').tag, 'twin-1');
  t.is(filterOf('rack:R01').rack, 'r01');
  t.is(filterOf('tag:nosuch').tag, 'nosuch');
});

test('an unknown token or value says so; a MAC is no token, and half a line is no error', (t) => {
  t.is(filterOf('52:54:00:00:12:04').q, '52:54:00:00:12:04');
  t.deepEqual(filterOf('health:bad'), emptyFilter);
  const problem = (line: string) => lineProblem(line, values);
  t.is(problem('state:bsy r01'), 'status:bsy is no filter: status is one of busy, failed, free.');
  t.regex(problem('colour:red') ?? '', /^colour: is no filter\. These are: status, health,/);
  t.is(problem('sku:r999'), 'No node has a SKU r999.');
  t.is(problem('tag:gpu,none'), 'No node has a tag none.');
  for (const fine of ['status:fai', 'sku:r650 52:54:00:00:12:04', 'aa:bb:cc:dd:ee:ff', 'tag:', 'fe80::1', 'r01'])
    t.is(problem(fine), undefined, fine);
});

test('the last token is completed', (t) => {
  t.deepEqual(lineCompletions('r12 tag:g', values), ['r12 tag:gpu', 'r12 tag:green']);
  t.deepEqual(lineCompletions('sku:r650', values), ['sku:"PowerEdge R650"']);
  t.deepEqual(lineCompletions('hea', values).at(0), 'health:ok');
  t.deepEqual(lineCompletions('', values), []);
});
