/** The files of a twin, as processes that were killed leave them. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { TwinFolder, type TwinRecord } from '../../../api/cli/twin/twin-folder.ts';
import type { LedgerLine } from '../../../engine/hardware/twin/machine/ledger.ts';
import type { MachineState } from '../../../engine/hardware/twin/machine/machine-state.ts';
import { folder } from '../../support/ava/folder.ts';

const record: TwinRecord = {
  seed: 1,
  nodes: 2,
  models: ['a'],
  ipmi: 0,
  basis: { first: 0, field: 0, real: 0, speed: 1 },
  used: [],
  passed: 0,
};
const stateOf = (name: string) => ({ name, told: 0, bootId: '' }) as unknown as MachineState;
const line = (machine: string, what: string): LedgerLine => ({
  at: '2026-01-01T00:00:00.000Z',
  machine,
  kind: 'power',
  what,
  outcome: 'done',
  by: 'root',
});
const linesOf = (file: string): LedgerLine[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text));

test('a state and its line of the ledger survive, and a killed process loses neither', async (t) => {
  const home = folder(t);
  const ledger = join(home, 'ledger.jsonl');
  const first = await TwinFolder.open(home);
  await first.begin(record);
  const [a, b] = [stateOf('r01s01'), stateOf('r01s02')];
  await Promise.all([first.save(a, line('r01s01', 'on')), first.save(b), first.save(a, line('r01s01', 'off'))]);
  a.bootId = 'later';
  await first.save(a, line('r01s01', 'reset'));
  await first.close();
  t.deepEqual(
    linesOf(ledger).map(({ what }) => what),
    ['on', 'off', 'reset'],
  );
  // As if it had been killed after the state was written, and before the ledger was; and in the middle of a line.
  writeFileSync(ledger, readFileSync(ledger, 'utf8').split('\n').slice(0, 2).join('\n').concat('\n{"at":"2026'));
  appendFileSync(join(home, 'state.jsonl'), '{"state":{"name":"r01s0');
  const second = await TwinFolder.open(home);
  t.deepEqual(
    linesOf(ledger).map(({ what }) => what),
    ['on', 'off', 'reset'],
  );
  t.is(second.states.get('r01s01')?.bootId, 'later');
  t.is(second.states.get('r01s01')?.told, 3);
  t.deepEqual(second.twin, record);
  await second.close();
});

test('a file of states that is written anew has the newest ones, and what was noted', async (t) => {
  const home = folder(t);
  const first = await TwinFolder.open(home);
  await first.begin(record);
  const state = stateOf('r01s01');
  for (let n = 0; n < 20; n += 1) {
    state.bootId = `boot ${n}`;
    await first.save(state);
  }
  await first.note({ used: ['3 reset ignored r01s01 5000'] });
  await first.note({ passed: 9_000 });
  await first.close();
  const second = await TwinFolder.open(home);
  const twin = { ...record, used: ['3 reset ignored r01s01 5000'], passed: 9_000 };
  t.deepEqual(second.twin, twin);
  await second.begin(twin);
  await second.close();
  t.is(readFileSync(join(home, 'state.jsonl'), 'utf8').trimEnd().split('\n').length, 2);
  const third = await TwinFolder.open(home);
  t.is(third.states.get('r01s01')?.bootId, 'boot 19');
  await third.close();
});
