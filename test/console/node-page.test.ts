/** The drawings of the page of a node: its workflows over time, and its rack. */
import test from 'ava';
import { areaBetween, serversIn } from '../../api/console/pages/node/rack-area.ts';
import { type RackNode, rackPicture } from '../../api/console/pages/node/rack-picture.ts';
import { barsOf } from '../../api/console/pages/node/workflow-bars.ts';

const at = (seconds: number) => new Date(seconds * 1_000).toISOString();
const ran = (id: string, from: number, to: number | null) => ({
  id,
  startedAt: at(from),
  finishedAt: to === null ? null : at(to),
});

test('workflows one after the other are in one row; those at the same time are in several', (t) => {
  const { bars, rows } = barsOf([ran('a', 0, 40), ran('b', 50, 100), ran('c', 30, 60)], 100_000);
  t.deepEqual(
    bars.map(({ ran: { id }, row }) => [id, row]),
    [
      ['a', 0],
      ['c', 1],
      ['b', 0],
    ],
  );
  t.is(rows, 2);
});

test('an active workflow reaches until now, and one that has not started has no bar', (t) => {
  const { bars, to } = barsOf([ran('a', 0, null), { id: 'b', startedAt: null, finishedAt: null }], 10_000);
  t.is(bars.length, 1);
  t.is(to, 10_000);
  t.is(bars[0]?.width, 1);
});

test('no bars cover each other, none is too small to see, none leaves the picture', (t) => {
  const many = Array.from({ length: 200 }, (_, n) => ran(String(n), n * 7, n * 7 + (n % 5 === 0 ? 90 : 0.001)));
  const { bars } = barsOf(many, 2_000_000);
  for (const bar of bars) {
    t.true(bar.left >= 0 && bar.left + bar.width <= 1.000_001 && bar.width >= 0.008);
    const beside = bars.filter((other) => other !== bar && other.row === bar.row);
    t.true(beside.every(({ left, width }) => left + width <= bar.left + 1e-9 || left >= bar.left + bar.width - 1e-9));
  }
});

const node = (
  id: string,
  type: string,
  relations: Record<string, string[]> = {},
  tags: readonly string[] = [],
): RackNode => ({
  id,
  name: id,
  type,
  relations: Object.entries(relations).map(([relationType, targets]) => ({ relationType, targets })),
  tags,
  active: null,
});
const known = (...nodes: RackNode[]) => new Map(nodes.map((one) => [one.id, one]));

test('a rack has its units in one column, switches first, then by name', (t) => {
  const rack = node('r1', 'rack', { contains: ['n10', 'n2', 'sw', 'gone'] });
  const { boxes } = rackPicture(rack, known(node('n10', 'compute'), node('n2', 'compute'), node('sw', 'switch')));
  t.deepEqual(
    boxes.map((box) => box.node.id),
    ['r1', 'sw', 'n2', 'n10'],
  );
  const [outer, ...units] = boxes;
  for (const [index, unit] of units.entries()) {
    t.true(unit.y >= (units[index - 1]?.y ?? 0) + (index === 0 ? 0 : unit.height));
    t.true(unit.y + unit.height <= (outer?.height ?? 0));
  }
});

test('nodes with a tag for their unit are in its order, from the top, above the others', (t) => {
  const rack = node('r1', 'rack', { contains: ['a', 'b', 'c', 'sw'] });
  const units = known(
    node('a', 'compute', {}, ['gpu', 'u2']),
    node('b', 'compute', {}, ['U17', 'U16']),
    node('c', 'compute', {}, ['user', 'u1000']),
    node('sw', 'switch', {}, ['u42']),
  );
  t.deepEqual(
    rackPicture(rack, units).boxes.map((box) => [box.node.id, box.unit]),
    [
      ['r1', undefined],
      ['sw', 42],
      ['b', 16],
      ['a', 2],
      ['c', undefined],
    ],
  );
});

test('an enclosure is around what it encloses, and a circle of relations ends', (t) => {
  const rack = node('r1', 'rack', { contains: ['e1'] });
  const enclosure = node('e1', 'enclosure', { encloses: ['n1', 'r1'] });
  const { boxes } = rackPicture(rack, known(enclosure, node('n1', 'compute', { contains: ['e1'] })));
  t.deepEqual(
    boxes.map((box) => [box.node.id, box.isAround]),
    [
      ['r1', true],
      ['e1', true],
      ['n1', false],
    ],
  );
});

test('lines lead from a PDU to what it powers, if that is drawn', (t) => {
  const rack = node('r1', 'rack', { contains: ['n1', 'p1'] });
  const { lines, boxes } = rackPicture(
    rack,
    known(node('n1', 'compute'), node('p1', 'pdu', { powers: ['n1', 'elsewhere'] })),
  );
  t.deepEqual(
    lines.map(({ from, to }) => [from, to]),
    [['p1', 'n1']],
  );
  t.is(boxes.filter((box) => box.node.id === 'p1').length, 1);
});

test('an area of a rack selects the servers that it touches, none of their enclosures, and nothing else', (t) => {
  const enclosure = node('e1', 'enclosure', { encloses: ['n1', 'n2'] });
  const rack = node('r1', 'rack', { contains: ['sw', 'e1', 'n3'] });
  const parts = known(enclosure, node('sw', 'switch'), ...['n1', 'n2', 'n3'].map((id) => node(id, 'compute')));
  const { boxes, width, height } = rackPicture(rack, parts);
  const boxOf = (id: string) => boxes.find((box) => box.node.id === id) ?? t.fail();
  const middle = (id: string) => ({ x: boxOf(id).x + 20, y: boxOf(id).y + boxOf(id).height / 2 });
  t.deepEqual(serversIn(boxes, { x: 0, y: 0, width, height }), ['n1', 'n2', 'n3']);
  // From below to above, as a pointer may move.
  t.deepEqual(serversIn(boxes, areaBetween(middle('n2'), middle('n1'))), ['n1', 'n2']);
  t.deepEqual(serversIn(boxes, areaBetween(middle('n2'), middle('n2'))), ['n2']);
  t.deepEqual(serversIn(boxes, areaBetween({ x: 0, y: 0 }, middle('sw'))), []);
});
