/** The words for the record of a burn-in, also for one that is not complete. */
import test from 'ava';
import { burnInOf, burnInVerdictText } from '../../api/client/burn-in-texts.ts';

const limits = { cpuCelsius: 95, driveCelsius: 70, correctedErrors: 2, uncorrectedErrors: 0, driveErrors: 0 };
const times = { startedAt: '2026-11-27T18:45:23Z', endedAt: '2026-11-27T18:55:23Z' };
const record = { run: 'w', verdict: 'failed', ...times, tests: {}, limits, memoryErrors: {}, drives: {}, problems: [] };
const disk = {
  verdict: 'failed',
  ...times,
  minimum: 300,
  figures: {
    drives: { sda: { mbPerSec: 1_520, verdict: 'passed' }, sdb: { mbPerSec: null, verdict: 'failed' } },
    cpuCelsius: 96,
    driveCelsius: 44,
  },
};

const linesOf = (changes: object) =>
  (burnInOf({ ...record, ...changes })?.lines ?? []).map(({ test: title, target, measured, limit, verdict }) =>
    [title, target, measured, limit, burnInVerdictText(verdict)].join(' | '),
  );

test('each drive has its serial number, what was measured, its limit and its own result', (t) => {
  const drives = {
    sdb: { serial: 'S2', model: 'ST2000', health: 'FAILED', newErrors: { pending: 4, reallocated: 0 } },
  };
  t.deepEqual(linesOf({ tests: { disk }, drives, memoryErrors: { corrected: 1, uncorrected: 0, exceptions: null } }), [
    'drive, read | sda | 1,520 MB/s | at least 300 MB/s | passed',
    'drive, read | sdb (S2) | no MB/s | at least 300 MB/s | failed',
    'temperature | processors | 96 °C | at most 95 °C | failed',
    'temperature | drives | 44 °C | at most 70 °C | passed',
    'new errors | memory | 1 corrected | at most 2 corrected, 0 uncorrected, 0 machine check exceptions | passed',
    'new errors | sdb (S2) | 4 pending, health FAILED | none, healthy | failed',
  ]);
});

test('what was not measured is neither passed nor failed', (t) => {
  const network = { verdict: 'unknown', startedAt: null, endedAt: null, figures: {}, problems: ['no report'] };
  const { figures } = disk;
  const earlier = { ...disk, minimum: undefined, figures: { ...figures, drives: { sda: { mbPerSec: 210 } } } };
  t.deepEqual(linesOf({ tests: { network, disk: earlier }, drives: { sda: { serial: 'S1', health: null } } }), [
    'network |  | nothing |  | incomplete',
    'drive, read | sda (S1) | 210 MB/s |  | ',
    'temperature | processors | 96 °C | at most 95 °C | failed',
    'temperature | drives | 44 °C | at most 70 °C | passed',
    'new errors | memory | not counted | at most 2 corrected, 0 uncorrected, 0 machine check exceptions | ',
    'new errors | sda (S1) | not counted, health not reported | none, healthy | ',
  ]);
});

test('a catalog of another origin is no burn-in', (t) => {
  for (const data of [null, [], 'text', {}, { ...record, verdict: 'good' }, { ...record, run: 7 }])
    t.is(burnInOf(data), undefined);
  t.deepEqual(burnInOf({ ...record, tests: { cpu: 'text' }, drives: { sda: 7 }, limits: [] })?.problems, []);
});
