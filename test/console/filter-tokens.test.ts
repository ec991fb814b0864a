/** The line of filters of the list of nodes. */
import test from 'ava';
import { filterOfLine, lineCompletions, lineOfFilter } from '../../api/console/parts/node-filter/filter-tokens.ts';
import { emptyFilter } from '../../api/console/parts/node-filter/node-filter.ts';

const skuNames = new Map([
  ['s1', 'PowerEdge R650'],
  ['s2', 'PowerEdge R740'],
]);
const choices = { tags: ['gpu', 'green'], types: ['compute', 'rack'] };

test('a line has tokens and words, and comes back as it was', (t) => {
  const line = 'health:critical sku:"PowerEdge R650" tag:gpu r12 s04';
  const filter = filterOfLine(line, skuNames);
  t.deepEqual(filter, { ...emptyFilter, health: 'critical', sku: 's1', tag: 'gpu', q: 'r12 s04' });
  t.is(lineOfFilter(filter, skuNames), line);
});

test('a MAC is no token, a value that a field cannot have selects by nothing, and half a line is no error', (t) => {
  t.is(filterOfLine('52:54:00:00:12:04', skuNames).q, '52:54:00:00:12:04');
  t.deepEqual(filterOfLine('health:bad', skuNames), emptyFilter);
  t.is(filterOfLine('sku:"PowerEdge R7', skuNames).sku, 's2');
  t.is(filterOfLine('sku:PowerEdge', skuNames).sku, 'PowerEdge');
});

test('the last token is completed', (t) => {
  t.deepEqual(lineCompletions('r12 tag:g', choices, skuNames), ['r12 tag:gpu', 'r12 tag:green']);
  t.deepEqual(lineCompletions('hea', choices, skuNames).at(0), 'health:ok');
  t.deepEqual(lineCompletions('', choices, skuNames), []);
});
