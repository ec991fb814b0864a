/** The content of a drive's record in every outcome; and the reasons not to erase a drive. */
import test from 'ava';
import { factsOf, readyOf } from '../../../engine/hardware/erase/facts.ts';
import type { PlannedDrive } from '../../../engine/hardware/erase/plan.ts';
import { recordOf } from '../../../engine/hardware/erase/record.ts';
import { SAMPLES, samplesOf } from '../../../engine/hardware/erase/samples.ts';

const planned = (tool: PlannedDrive['tool'], arg: string, devName = 'sda'): PlannedDrive => ({
  devName,
  identifier: 0,
  wwid: 'naa.5',
  tool,
  arg,
});

const GIB = 1024 ** 3;

function record(drive: PlannedDrive, report: Record<string, string>, facts: Record<string, string> = { ROTA: '1' }) {
  const job = { devName: 'sda', tool: drive.tool, arg: drive.arg, size: GIB, identity: 'x', minutes: 0 };
  return recordOf({ drive, job, id: 'run-0', facts, version: 'v', report });
}

const ended = (verdict: string) => ({ state: 'ended', exit: '0', verdict });

test('a level is given only when the tool succeeded and every sample confirms it', (t) => {
  const zero = planned('scrub', 'fillzero');
  t.like(record(zero, ended('64 64 0 0 0')), { result: 'sanitized', level: 'Clear', errors: [] });
  for (const verdict of ['64 63 0 0 0', '63 63 0 0 1', '0 0 0 0 64']) {
    t.like(record(zero, ended(verdict)), { result: 'not sanitized', level: null });
  }
  t.like(record(zero, { state: 'ended', exit: '1', said: 'no' }), { level: null, errors: ['scrub ended with 1: no'] });
});

test('random data must differ everywhere, firmware only where a block was not blank', (t) => {
  t.is(record(planned('scrub', 'random'), ended('64 0 0 0 0')).result, 'sanitized');
  t.is(record(planned('scrub', 'random'), ended('64 0 1 0 0')).result, 'not sanitized');
  t.is(record(planned('sg_sanitize', 'crypto'), ended('64 0 9 0 0')).result, 'sanitized');
  t.is(record(planned('sg_sanitize', 'crypto'), ended('64 0 9 1 0')).result, 'not sanitized');
});

test('levels are those of the standard, the lower one where the kind of drive is unknown', (t) => {
  const levels = (tool: PlannedDrive['tool'], arg: string, ROTA = '0') =>
    record(planned(tool, arg), ended('64 0 0 0 0'), { ROTA }).level;
  t.is(levels('hdparm', 'security-erase', '1'), 'Clear');
  t.is(levels('hdparm', 'security-erase-enhanced', '1'), 'Purge');
  t.is(levels('hdparm', 'security-erase-enhanced', '0'), 'Clear');
  t.is(levels('hdparm', 'security-erase-enhanced', ''), 'Clear');
  t.is(levels('sg_sanitize', 'block'), 'Purge');
  t.is(levels('sg_format', '1'), 'Clear');
  t.is(levels('nvme_sanitize', 'block'), 'Purge');
});

test('leaving the failure mode erases nothing, and is not an error either', (t) => {
  t.like(record(planned('sg_sanitize', 'fail'), ended('64 0 0 0 0')), {
    result: 'not sanitized',
    level: null,
    errors: [],
    verification: { result: 'not done' },
  });
});

test('an unknown state is reported as unknown, and an erase that never began as such', (t) => {
  const zero = planned('scrub', 'fillzero');
  for (const state of ['lost', 'died']) t.is(record(zero, { state }).result, 'unknown');
  const absent = record(zero, { state: 'absent', said: 'setsid: not found' });
  t.deepEqual(absent.errors, ['the erase was not started: setsid: not found']);
  for (const report of [{}, { state: 'absent' }])
    t.is(record(zero, report as Record<string, string>).result, 'not started');
});

test('samples are the first block, the last, and others by the seed: equal for one seed, different for another', (t) => {
  const blocks = samplesOf('seed', 8 * 1024 * GIB + 512);
  t.is(blocks.length, SAMPLES);
  t.is(blocks[0], 0);
  t.is(blocks.at(-1), (8 * 1024 * GIB) / 4096);
  t.deepEqual(samplesOf('seed', 8 * 1024 * GIB + 512), blocks);
  t.notDeepEqual(samplesOf('other', 8 * 1024 * GIB + 512), blocks);
  t.deepEqual(samplesOf('seed', 10_000), [0, 1, 2]);
});

/** As hdparm -I prints it, with one blank between words. */
const secure =
  'Security: Master password revision code = 65534 supported not enabled not locked not frozen not expired: security ' +
  'count supported: enhanced erase 168min for SECURITY ERASE UNIT. 170min for ENHANCED SECURITY ERASE UNIT.';

test('a drive that is frozen, locked, mounted, missing or of another protocol is rejected before any is touched', (t) => {
  const ata = { size: '1000', VENDOR: 'ATA', TRAN: 'sas', security: secure };
  const said = (facts: Record<string, string>, arg = 'security-erase') => {
    const all = new Map([
      ['sda', facts],
      ['hdparm', { version: 'hdparm v9.65' }],
    ]);
    const { jobs, violations } = readyOf([planned('hdparm', arg)], all);
    return violations[0]?.message ?? `${jobs[0]?.minutes} min`;
  };
  t.is(said(ata), '168 min');
  t.is(said(ata, 'security-erase-enhanced'), '170 min');
  t.regex(said({ ...ata, security: secure.replace('not frozen', 'frozen') }), /is frozen/);
  t.regex(said({ ...ata, security: secure.replace('not locked', 'locked') }), /is locked/);
  t.regex(said({ ...ata, security: secure.replace('not enabled', 'enabled') }), /has a password/);
  t.regex(
    said({ ...ata, security: secure.replace('supported: enhanced', 'no') }, 'security-erase-enhanced'),
    /does not support enhanced/,
  );
  t.regex(said({ ...ata, security: '' }), /does not have the ATA security/);
  t.regex(said({ ...ata, mounted: '/' }), /is mounted at \//);
  t.regex(said({ ...ata, VENDOR: 'HGST' }), /protocol scsi/);
  t.regex(said({ ...ata, VENDOR: 'QEMU', TRAN: '' }), /unknown/);
  t.regex(said({ ...ata, size: '0' }), /0 bytes/);
  t.regex(said({}), /does not exist/);
  t.regex(
    readyOf([planned('scrub', 'dod')], new Map([['sda', ata]])).violations[0]?.message ?? '',
    /scrub is not installed on the node/,
  );
});

test('facts are lines of name, key and value; other lines are ignored', (t) => {
  t.deepEqual(
    [...factsOf('boot b-1\nsda.MODEL Micron  P400e\nsda.SERIAL \n0.state ended\n\n???')],
    [
      ['', { boot: 'b-1' }],
      ['sda', { MODEL: 'Micron  P400e', SERIAL: '' }],
      ['0', { state: 'ended' }],
    ],
  );
  const zeros = '0'.repeat(500_000);
  t.is(factsOf(`${zeros}\u2028x`).get('')?.[zeros]?.length, 1);
});
