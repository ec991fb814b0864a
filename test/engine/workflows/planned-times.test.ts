import test from 'ava';
import { plannedTimes } from '../../../engine/workflows/planned-times.ts';

const schedule = { kind: 'schedule', id: 's', name: 'each second', graph: 'Graph.X' } as const;

test('of a schedule that is due without end the first 200 times are planned, and the last says that there are more', (t) => {
  function* seconds() {
    for (let n = 0; ; n += 1) yield { from: new Date(n * 1_000).toISOString(), to: null };
  }
  const planned = plannedTimes(schedule, seconds());
  t.is(planned.length, 200);
  t.deepEqual(planned.map(({ more }) => more).indexOf(true), 199);
  t.false(plannedTimes(schedule, [...planned].slice(0, 199)).some(({ more }) => more));
});
