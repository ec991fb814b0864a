/** Each broken rule of a rollout is found, and a rollout that keeps them has none. */
import test from 'ava';
import { beganAfter, brokenRules, type LaunchedTarget } from './rollout-rules.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const target = (n: number, from: number, to: number): LaunchedTarget => ({
  id: `w${n}`,
  node: `n${n}`,
  createdAt: at(from),
  startedAt: at(from),
  finishedAt: at(to),
});
const rackOf = new Map([0, 1, 2, 3].map((n) => [`n${n}`, n < 2 ? 'a' : 'b']));
const limits = { targets: 4, running: 2, perRack: 1 };
const counts = { succeeded: 3, failed: 1 };
const kept = [target(0, 0, 2), target(2, 0, 3), target(1, 2, 4), target(3, 3, 5)];

test('a rollout that keeps its rules has none broken: one begins when the one before has ended', (t) => {
  t.deepEqual(brokenRules({ counts }, kept, rackOf, limits), []);
  t.deepEqual(beganAfter(kept, at(3)), []);
});

test('each broken rule is named', (t) => {
  const broken = (launched: readonly LaunchedTarget[], given = counts) =>
    brokenRules({ counts: given }, launched, rackOf, limits).join();
  t.regex(broken([...kept, target(0, 8, 9)]), /launched a target twice/);
  t.regex(broken(kept.slice(1)), /launched 3 of 4 targets/);
  t.regex(broken(kept, { succeeded: 3, failed: 0 }), /counted/);
  t.regex(broken([...kept.slice(0, 3), target(3, 2, 5)]), /had 3 targets at a time/);
  t.regex(broken([target(0, 0, 2), target(1, 1, 3), target(2, 4, 5), target(3, 6, 7)]), /had 2 targets of one rack/);
  t.deepEqual(beganAfter(kept, at(2)), [target(3, 3, 5)]);
});
