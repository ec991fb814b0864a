/** The filters of the list of nodes. */
import test from 'ava';
import type { ListedNode } from '../../api/console/data/listed-node.ts';
import { stateOfServer } from '../../api/console/data/node-status.ts';
import {
  choicesIn,
  emptyFilter,
  filteredNodes,
  type NodeFilter,
  nodeFilterIn,
  nodesAddress,
  requestedFilter,
} from '../../api/console/parts/node-filter/node-filter.ts';
import { sortedNodes } from '../../api/console/parts/node-filter/node-order.ts';

const listed = (name: string, given: Partial<ListedNode> = {}): ListedNode => ({
  id: name,
  name,
  type: 'compute',
  sku: null,
  tags: [],
  identifiers: [],
  obms: [{ ref: '', service: 'noop-obm-service' }],
  relations: [],
  active: null,
  health: 'ok',
  held: [],
  updatedAt: '2026-01-01T00:00:00Z',
  searched: name.toLowerCase(),
  ...given,
});
const busy = { id: 'w', name: 'Graph', label: null, since: '2026-01-01T00:00:00Z' };
const inRack = { relationType: 'enclosedBy', targets: ['rack-1'] };
const around = { relationType: 'encloses', targets: ['node-10'] };
const nodes = [
  listed('node-10', {
    tags: ['gpu'],
    burnIn: 'failed',
    hasFailed: true,
    relations: [inRack],
    updatedAt: '2026-01-03T00:00:00Z',
  }),
  listed('node-2', { sku: 's1', active: busy, updatedAt: '2026-01-02T00:00:00Z' }),
  listed('rack-1', { type: 'rack', relations: [around], obms: [], health: 'critical', held: ['repair'] }),
];
const texts = { sku: (id: string) => id, place: ({ name }: ListedNode) => (name === 'node-2' ? 'rack 1' : '') };
const names = ({ sort = '', ...filter }: Partial<NodeFilter>) =>
  sortedNodes(filteredNodes(nodes, { ...emptyFilter, ...filter }), sort, texts).map(({ name }) => name);

test('every filter selects', (t) => {
  t.deepEqual(names({ q: 'NODE 2' }), ['node-2']);
  t.deepEqual(names({ tag: 'gpu' }), ['node-10']);
  t.deepEqual(names({ sku: 's1' }), ['node-2']);
  t.deepEqual(names({ sku: 'none' }), ['node-10', 'rack-1']);
  t.deepEqual(names({ type: 'rack' }), ['rack-1']);
  t.deepEqual(names({ state: 'busy' }), ['node-2']);
  t.deepEqual(names({ state: 'free' }), ['node-10', 'rack-1']);
  t.deepEqual(names({ state: 'failed' }), ['node-10']);
  t.deepEqual(names({ sku: 's1,none' }), ['node-2', 'node-10', 'rack-1']);
  t.deepEqual(names({ rack: 'rack-1' }), ['node-10']);
  t.deepEqual(names({ obm: 'missing' }), ['rack-1']);
  t.deepEqual(names({ health: 'critical' }), ['rack-1']);
  t.deepEqual(names({ held: 'held' }), ['rack-1']);
  t.deepEqual(names({ burnIn: 'failed' }), ['node-10']);
  t.deepEqual(names({ burnIn: 'passed' }), []);
  t.deepEqual(names({ burnIn: 'none' }), ['node-2'], 'a rack needs none');
  t.deepEqual(names({ q: 'node', state: 'free' }), ['node-10']);
});

test('names are sorted as people count, and times by themselves', (t) => {
  t.deepEqual(names({}), ['node-2', 'node-10', 'rack-1']);
  t.deepEqual(names({ sort: '-name' }), ['rack-1', 'node-10', 'node-2']);
  t.deepEqual(names({ sort: '-updated' }), ['node-10', 'node-2', 'rack-1']);
  t.deepEqual(names({ sort: '-health' }).at(0), 'rack-1', 'the worst is the first');
  for (const sort of ['place', '-place'] as const)
    t.deepEqual(names({ sort }).at(0), 'node-2', 'what is not known comes last');
});

test('the address has the filters, and an unknown value of it counts as none', (t) => {
  const filter: NodeFilter = { ...emptyFilter, q: 'a&b', state: 'busy', sort: 'updated' };
  const { searchParams } = new URL(nodesAddress(filter), 'http://console');
  t.deepEqual(nodeFilterIn(Object.fromEntries(searchParams)), filter);
  t.is(nodesAddress(emptyFilter), '/ui/nodes');
  t.deepEqual(nodeFilterIn({ state: 'asleep', obm: '1', sort: 'x' }), emptyFilter);
});

test('the choices of the filters are the values that nodes have', (t) => {
  t.deepEqual(choicesIn(nodes), { tags: ['gpu'], types: ['compute', 'rack'], racks: ['rack-1'] });
});

test('a filter that the daemon has is one of a request, others are none', (t) => {
  const requested = (filter: Partial<NodeFilter>) => requestedFilter({ ...emptyFilter, ...filter });
  t.deepEqual(requested({ tag: 'gpu', sku: 'none', type: 'compute', state: 'free', health: 'critical' }), {
    tags: 'gpu',
    sku: 'null',
    type: 'compute',
    busy: false,
    health: 'critical',
  });
  t.deepEqual(requested({ held: 'held', power: 'off', sku: 's1' }), { held: true, power: 'off', sku: 's1' });
  t.deepEqual(requested({ sku: 's1,none' }), { sku: 's1,null' });
  for (const filter of [
    {},
    { q: 'r01' },
    { rack: 'r01' },
    { state: 'failed' as const },
    { tag: 'gpu', obm: 'missing' as const },
    { sort: 'name' as const },
  ])
    t.is(requested(filter), undefined);
});

test('the state of a server is the one that matters most', (t) => {
  const state = (given: Partial<ListedNode>) => stateOfServer(listed('n', given));
  t.is(state({}), 'free');
  t.is(state({ health: 'warning' }), 'warning');
  t.is(state({ health: 'warning', held: ['repair'] }), 'held');
  t.is(state({ held: ['repair'], hasFailed: true }), 'failed');
  t.is(state({ active: busy, hasFailed: true }), 'busy');
  t.is(state({ active: busy, health: 'critical' }), 'critical');
});
