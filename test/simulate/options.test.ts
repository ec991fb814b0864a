/** The options of `npm run simulate`. */
import test from 'ava';
import { simulateOptions } from './options.ts';

test('hours are rounds from the first, and rounds may be named', (t) => {
  t.deepEqual(simulateOptions(['--seed', '7', '--hours', '2']).plan.rounds, { from: 0, to: 10 });
  t.deepEqual(simulateOptions(['--seed', '7', '--rounds', '3-5']).plan.rounds, { from: 3, to: 6 });
});

test('a run stops at a step or at an hour', (t) => {
  t.is(simulateOptions(['--until', '12']).plan.untilStep, 12);
  t.is(simulateOptions(['--until', '12h']).plan.untilHour, 12);
});

const wrong: readonly (readonly [string[], RegExp])[] = [
  [['--seed', 'x'], /^--seed: found x, expected a whole number/],
  [['--daemons', '0'], /^--daemons: found 0/],
  [['--hours', '0'], /^--hours: found 0/],
  [['--rounds', '5-3'], /^--rounds: found 5-3/],
  [['--until', 'noon'], /^--until: found noon/],
  [['--mutation', 'none'], /^--mutation: found none, expected one of publish-before-save/],
  [['--minutes', '1', '--trace', '-'], /^--trace: found it with --minutes/],
  [['--crash'], /Unknown option '--crash'/],
];

for (const [args, message] of wrong) {
  test(`${args.join(' ')} is rejected`, (t) => {
    t.throws(() => simulateOptions(args), { message });
  });
}
