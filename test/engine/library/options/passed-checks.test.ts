/** Checks that are not repeated. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { sha256 } from '../../../../engine/library/options/hash.ts';
import { readChecks, saveChecks, unlessPassed } from '../../../../engine/library/options/passed-checks.ts';
import { folder } from '../../../support/ava/folder.ts';

/** @returns the number of checks that were made of two */
function checksMade(subject: readonly unknown[], violations: { path: string; message: string }[] = []): number {
  let made = 0;
  for (let at = 0; at < 2; at++) {
    unlessPassed(subject, () => {
      made += 1;
      return violations;
    });
  }
  return made;
}

test('a check that passed is not repeated for an equal subject', (t) => {
  t.is(checksMade([{ type: 'object', a: 1 }]), 1);
  t.is(checksMade([{ type: 'object', a: 1 }]), 0);
  t.is(checksMade([{ type: 'object', a: 2 }]), 1);
});

test('a check with violations is repeated', (t) => {
  t.is(checksMade(['violations'], [{ path: '', message: 'is wrong' }]), 2);
});

test('a check of anything but plain data is repeated: an equal text would not mean an equal value', (t) => {
  const circle: unknown[] = [];
  circle.push(circle);
  const values = [undefined, () => 1, 1n, Number.NaN, -0, new Date(0), new Map(), /a/, Symbol('a'), circle];
  for (const value of values) t.is(checksMade(['plain', { value }]), 2, String(Object.prototype.toString.call(value)));
});

/** Writes a file by which the check of the subject has passed. */
function stored(file: string, subject: readonly unknown[], build = 'build 1'): void {
  writeFileSync(file, JSON.stringify({ build, passed: [sha256(JSON.stringify(subject))] }), { mode: 0o600 });
}

test('passed checks are stored for the next process', async (t) => {
  const file = join(folder(t), 'checks.json');
  checksMade(['passed']);
  checksMade(['not passed'], [{ path: '', message: 'is wrong' }]);
  await saveChecks(file, 'build 1');
  const { build, passed } = JSON.parse(readFileSync(file, 'utf8'));
  t.is(build, 'build 1');
  t.true(passed.includes(sha256(JSON.stringify(['passed']))));
  t.false(passed.includes(sha256(JSON.stringify(['not passed']))));
  t.is(statSync(file).mode & 0o777, 0o600);
});

test('stored checks are used only by the same build, from an undamaged file that others may not write', async (t) => {
  const file = join(folder(t), 'checks.json');
  stored(file, ['same build']);
  await readChecks(file, 'build 1', true);
  t.is(checksMade(['same build']), 0);

  stored(file, ['another build'], 'build 2');
  await readChecks(file, 'build 1', true);
  t.is(checksMade(['another build']), 1);

  stored(file, ['others']);
  chmodSync(file, 0o622);
  await readChecks(file, 'build 1', true);
  t.is(checksMade(['others']), 1);

  chmodSync(file, 0o600);
  for (const damaged of ['{', '{"build":"build 1"}', '']) {
    writeFileSync(file, damaged);
    await t.notThrowsAsync(readChecks(file, 'build 1', true));
  }
  await t.notThrowsAsync(readChecks(join(file, 'none'), 'build 1', true));
});
