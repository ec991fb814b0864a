/** Plans of rollouts: frozen by a seed, ordered by relations, in phases of whole targets. */
import test from 'ava';
import fc from 'fast-check';
import { type PlannableNode, phaseSizes, planTargets } from '../../../../engine/workflows/rollouts/rollout-plan.ts';

const nodes = (count: number, racks = 3): PlannableNode[] =>
  Array.from({ length: count }, (_, n) => ({ id: `n${n}`, parents: { enclosedBy: [`rack ${n % racks}`] } }));

const rest = [{ size: 'rest' as const }];

test('a count, a percentage of all and the rest are phases of whole targets, rounded by their ends', (t) => {
  t.deepEqual(phaseSizes([1, '10%', 'rest'], 20), [1, 2, 17]);
  t.deepEqual(phaseSizes(['33%', '33%', 'rest'], 10), [3, 4, 3]);
  t.deepEqual(phaseSizes([5, 10], 8), [5, 3]);
  t.deepEqual(phaseSizes(['50%', '50%'], 7), [4, 3]);
});

test('a phase without a target, targets without a phase, and a rest that is not last are rejected by their path', (t) => {
  for (const [sizes, total, path] of [
    [[1, '1%', 'rest'], 10, 'phases.1'],
    [[3, 3], 10, 'phases'],
    [['rest', 1], 10, 'phases.0.size'],
    [[10, 'rest'], 10, 'phases.1'],
  ] as const)
    t.like(
      t.throws(() => phaseSizes(sizes, total)),
      { code: 'INVALID', violations: [{ path }] },
    );
  t.throws(() => planTargets([], { seed: 1, order: {}, phases: rest }), { message: /targets select no node/ });
});

test('the same seed gives the same plan, in whatever order the nodes come; another seed gives another one', (t) => {
  const plan = (seed: number, all: readonly PlannableNode[], order = {}) =>
    planTargets(all, { seed, order, phases: rest, sample: { percent: 50 } }).targets;
  t.deepEqual(plan(7, nodes(100)), plan(7, nodes(100), { by: 'random' }), 'it is the default');
  t.deepEqual(plan(7, nodes(100)), plan(7, nodes(100).reverse()));
  t.notDeepEqual(plan(7, nodes(100)), plan(8, nodes(100)));
  t.is(plan(7, nodes(100)).length, 50);
  t.is(plan(7, nodes(1)).length, 1);
});

test('every plan has each node once, in sequence, and phases follow each other with the nodes of a parent together', (t) => {
  const request = fc.record({
    count: fc.integer({ min: 1, max: 80 }),
    racks: fc.integer({ min: 1, max: 10 }),
    seed: fc.nat(),
    first: fc.integer({ min: 1, max: 10 }),
  });
  fc.assert(
    fc.property(request, ({ count, racks, seed, first }) => {
      const phases = first < count ? [{ size: first }, ...rest] : rest;
      const { targets, sizes } = planTargets(nodes(count, racks), { seed, order: { by: 'enclosedBy' }, phases });
      t.is(new Set(targets.map(({ node }) => node)).size, count);
      t.deepEqual(
        targets.map(({ sequence }) => sequence),
        [...targets.keys()],
      );
      const inPhase = sizes.map((_, phase) => targets.filter((target) => target.phase === phase).length);
      t.deepEqual(inPhase, sizes);
      const rackOf = ({ node }: { node: string }) => Number(node.slice(1)) % racks;
      const changes = targets.filter((target, at) => at > 0 && rackOf(target) !== rackOf(targets[at - 1] ?? target));
      t.is(changes.length, Math.min(count, racks) - 1);
    }),
  );
});
