import { readFileSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { folder } from '../support/ava/folder.ts';
import { addResults } from './results.ts';

const at = (time: string) => new Date(`2026-11-23T${time}:00Z`);

test('a bench adds its lines to the file of its day, with the facts of the machine and no names', (t) => {
  const own = folder(t);
  const file = addResults(own, at('09:05'), {
    latency: [{ name: 'five tasks, p50', value: 32.234, unit: 'ms', goal: { kind: 'most', value: 30 } }],
  });
  t.is(file, join(own, '2026-11-23.md'));
  addResults(own, at('11:30'), { throughput: [{ name: 'steps', value: 5_879.4, unit: 'steps/s' }] });
  const text = readFileSync(file, 'utf8');
  t.regex(text, /^# 2026-11-23\n\n## 09:05 UTC\n\n\d+ cores, \d+ GiB, Node \d+\.\d+\.\d+\.\n\n### latency\n\n/);
  t.true(text.includes('| five tasks, p50 | 32.23 | ms   | at most 30: FAIL |'), text);
  t.true(text.includes('\n\n## 11:30 UTC\n\n'), text);
  t.true(text.includes('| steps  | 5,879 | steps/s |      |'), text);
  for (const name of [hostname(), homedir(), own]) t.false(text.includes(name), name);
});

test('a bench names the figures that were not measured, with the reason', (t) => {
  const file = addResults(folder(t), at('09:05'), {}, { throughput: 'redis-server is not on the PATH' });
  const text = readFileSync(file, 'utf8');
  t.true(text.endsWith('\n\n### Not measured\n\n- throughput: redis-server is not on the PATH\n'), text);
});

test('a bench leaves the text of its day that a person has written', (t) => {
  const own = folder(t);
  writeFileSync(join(own, '2026-11-23.md'), '# 2026-11-23\n\nA quiet machine.\n');
  addResults(own, at('09:05'), {});
  t.regex(readFileSync(join(own, '2026-11-23.md'), 'utf8'), /^# 2026-11-23\n\nA quiet machine\.\n\n## 09:05 UTC\n/);
});
