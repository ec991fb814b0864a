/** The file of faults: each kind, and the line of the first mistake. */
import test from 'ava';
import { checkFaultTargets } from '../../../../engine/hardware/twin/fault-targets.ts';
import { FaultsAtWork } from '../../../../engine/hardware/twin/faults/faults-at-work.ts';
import { FaultLineError, readFaults } from '../../../../engine/hardware/twin/faults/read-faults.ts';
import { twinMachine } from '../../../support/bmcs/twin-bmc.ts';

const every = `
# a night
at 120 s: bmc r03s07 silent 40 s
at 2 min: bmc r01s01 slow 1.5 min   # slow
at 0 s: bmc r01s01 503 500 ms
at 0 s: bmc r01s02 reset ignored
at 1 h: bmc r01s02 power stuck
at 5 s: bmc r01s03 wrong password
at 5 s: bmc r01s04 update hangs
at 5 s: bmc r01s04 update fails 1 h
at 9 s: drive r01s05/sda missing
at 9 s: drive r01s05/nvme0n1 swapped
at 9 s: agent r01s06 dies
at 9 s: address r01s06 changes
at 9 s: notifications r01s06 twice
at 9 s: clock r01s06 3600 s
at 9 s: pdu p01a down 10 min
at 9 s: pdu p01a silent 5 min
rate bmc silent 1 % for 40 s
`;

test('each kind of fault is read, with its time in field time', (t) => {
  const { timed, rated } = readFaults(every);
  t.is(timed.length, 16);
  t.deepEqual(timed[0], { line: 3, kind: 'silent', target: 'r03s07', at: 120_000, ms: 40_000 });
  t.deepEqual(timed[1], { line: 4, kind: 'slow', target: 'r01s01', at: 120_000, ms: 90_000 });
  t.deepEqual(timed[8], { line: 11, kind: 'missing', target: 'r01s05/sda', at: 9_000 });
  t.deepEqual(timed[15], { line: 18, kind: 'pdu silent', target: 'p01a', at: 9_000, ms: 300_000 });
  t.deepEqual(rated, [{ line: 19, kind: 'silent', share: 0.01, ms: 40_000 }]);
});

for (const [text, line, message] of [
  ['at 1 s: bmc r01s01 silent', 1, /needs a time/],
  ['\nat 1 s: drive r01s01/sda missing 3 s', 2, /takes no time/],
  ['at 1 s: drive r01s01 missing', 1, /unknown fault/],
  ['at 1 s: bmc r01s01 explodes 3 s', 1, /unknown fault/],
  ['# a\n\nin 3 s: bmc r01s01 silent 1 s', 3, /expected at 120 s/],
  ['rate bmc silent 101 % for 1 s', 1, /at most 100/],
  ['rate bmc silent 1 % for 0 s', 1, /expected more/],
  ['at 1 s: bmc r01s01 silent 0 s', 1, /expected more/],
  ['rate drive missing 1 % for 1 s', 1, /expected at 120 s/],
  ['at 1 s: pdu p01a silent', 1, /needs a time/],
] as const) {
  test(`${JSON.stringify(text)} is refused with its line`, (t) => {
    const error = t.throws(() => readFaults(text), { instanceOf: FaultLineError, message });
    t.is(error?.line, line);
  });
}

test('a lasting fault holds for its time, and one without a time hits the next action only', (t) => {
  let elapsed = 0;
  const plan = readFaults('at 10 s: bmc a silent 5 s\nat 10 s: bmc a reset ignored\nat 10 s: bmc a update fails 5 s');
  const faults = new FaultsAtWork(plan, 1, () => elapsed);
  const seen = [9_999, 10_000, 14_999, 15_000].map((at) => {
    elapsed = at;
    return faults.has('a', 'silent');
  });
  t.deepEqual(seen, [false, true, true, false]);
  t.is(faults.has('b', 'silent'), false);
  t.deepEqual([faults.takes('a', 'reset ignored'), faults.takes('a', 'reset ignored')], [true, false]);
  t.is(faults.used.size, 1);
  elapsed = 12_000;
  t.deepEqual([faults.takes('a', 'update fails'), faults.takes('a', 'update fails')], [true, true]);
  const later = (text: string) => new FaultsAtWork(readFaults(text), 1, () => elapsed, faults.used);
  t.false(
    new FaultsAtWork(plan, 1, () => elapsed, faults.used).takes('a', 'reset ignored'),
    'a later process does not repeat it',
  );
  t.true(
    later('\nat 1 s: bmc a reset ignored').takes('a', 'reset ignored'),
    'a fault of another file in the same line',
  );
});

test('a rate hits its share of the machines at any moment, the same ones for the same seed', (t) => {
  const plan = readFaults('rate bmc silent 10 % for 40 s');
  const names = Array.from({ length: 2_000 }, (_, n) => `r${n}`);
  const hit = (seed: number, elapsed: number) =>
    names.filter((name) => new FaultsAtWork(plan, seed, () => elapsed).has(name, 'silent'));
  for (const elapsed of [0, 40_000, 400_000]) {
    const { length } = hit(7, elapsed);
    t.true(length > 140 && length < 260, `${length} of 2,000`);
  }
  t.deepEqual(hit(7, 0), hit(7, 39_999));
  t.notDeepEqual(hit(7, 0), hit(7, 40_000));
  t.notDeepEqual(hit(7, 0), hit(8, 0));
});

test('a fault of a machine, a drive or a PDU that the twin does not have is refused with its line', (t) => {
  const { machine } = twinMachine();
  const { name, facts, state } = machine;
  const [{ name: drive } = { name: '' }] = state.drives;
  const check = (text: string) => checkFaultTargets(readFaults(text), [machine]);
  t.notThrows(() =>
    check(
      `at 1 s: pdu ${facts.pdu} down 1 s\nat 1 s: pdu ${facts.pdu} silent 1 s\nat 1 s: drive ${name}/${drive} missing`,
    ),
  );
  for (const [text, message] of [
    ['bmc r99s99 silent 4 s', /has no machine r99s99; expected one of r/],
    [`drive ${name}/sdz missing`, /has no drive sdz; expected one of /],
    ['pdu p99 down 5 s', /has no PDU p99; expected one of p/],
    ['pdu p99 silent 5 s', /has no PDU p99; expected one of p/],
    [`pdu ${name} silent 5 s`, /has no PDU r\w+; expected one of p/],
  ] as const) {
    const error = t.throws(() => check(`# a\nat 1 s: ${text}`), { instanceOf: FaultLineError, message });
    t.is(error?.line, 2);
  }
});
