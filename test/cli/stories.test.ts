/** `nw test --seed`: a graph on a machine of the twin, without a daemon. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';

const nw = (...args: string[]) =>
  spawnSync(process.execPath, [packagePath('dist/nw.mjs'), 'test', ...args], { encoding: 'utf8' });
const reboot = packagePath('graphs/reboot-node.ts');

test('each seed is a line, and the same seeds print the same', (t) => {
  const seeds = () => nw(reboot, '--seed', '1', '--runs', '3');
  const { status, stdout, stderr } = seeds();
  t.is(status, 0, stderr);
  t.regex(
    stdout,
    /^seed 1: .+\nseed 2: .+\nseed 3: .+\n\d of 3 succeeded, 0 broke a rule or failed without a fault\n$/,
  );
  t.is(seeds().stdout, stdout);
});

test('the faults of a file happen, and --story shows them', (t) => {
  const file = join(folder(t), 'faults.txt');
  writeFileSync(file, '# a bad night\nat 0 s: bmc r01s01 reset ignored # the first\n');
  const { status, stdout } = nw(reboot, '--seed', '7', '--faults', file, '--story');
  t.is(status, 0, 'a failure that faults explain breaks no rule');
  t.regex(stdout, /^ {2}0 s fault: bmc r01s01 reset ignored\n/m);
  t.regex(stdout, /^seed 7: failed after 1 min with OBM_UNCHANGED: .*\(with at 0 s: bmc r01s01 reset ignored\)$/m);
  const [one] = JSON.parse(nw(reboot, '--seed', '7', '--faults', file, '-o', 'json').stdout);
  t.like(one, { seed: 7, status: 'failed', faults: ['at 0 s: bmc r01s01 reset ignored'], violations: [] });
});

test('a graph that fails without a fault ends with 1', (t) => {
  const file = join(folder(t), 'faults.txt');
  writeFileSync(file, '');
  const { status, stdout } = nw(packagePath('graphs/install-esxi.ts'), '--seed', '1', '--faults', file);
  t.is(status, 1);
  t.regex(stdout, /^seed 1: failed .*\(without faults\)\n0 of 1 succeeded, 1 broke a rule or failed without a fault$/m);
});

test('wrong options end with 2, and a wrong file of faults is named with its line', (t) => {
  const file = join(folder(t), 'faults.txt');
  writeFileSync(file, 'at 0 s: bmc r01s01 reset ignored\n\nat 1 s: bmc r07s01 silent 4 s\n');
  const bad = nw(reboot, '--seed', '7', '--faults', file);
  t.is(bad.status, 2);
  t.true(bad.stderr.includes(`${file}:3: found r07s01; expected one of r01s01, p01a`), bad.stderr);
  for (const args of [
    ['--runs', '3'],
    ['--seed', 'x'],
    ['--seed', '1', '--runs', '0'],
    ['--seed', '1', '--model', 'pdp11'],
    ['--seed', '1', '--faults', join(file, 'none')],
  ])
    t.is(nw(reboot, ...args).status, 2, args.join(' '));
});
