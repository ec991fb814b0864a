/**
 * Tests that need a program which this machine may not have: without it they are skipped, and say so in one line for
 * each file. In CI (`CI=true`) they run and fail, so that a missing program never looks like success; except for what CI
 * itself says that it goes without (`NODEWRIGHT_TEST_WITHOUT`, names with commas between).
 */
import { basename } from 'node:path';
import test, { type TestFn } from 'ava';

const without = (process.env.NODEWRIGHT_TEST_WITHOUT ?? '').split(',');

/**
 * @param missing why the tests cannot run here; undefined: they can
 * @param server what CI calls it when it goes without
 */
export function needing(missing: string | undefined, server?: string): Pick<TestFn, 'serial'> {
  const required = process.env.CI === 'true' && (server === undefined || !without.includes(server));
  if (missing === undefined || required) return test;
  let skipped = 0;
  const skip = (title: string) => {
    if (skipped === 0) setImmediate(() => console.log(`${file()}: ${skipped} tests skipped: ${missing}`));
    skipped += 1;
    test.skip(title, () => {});
  };
  return { serial: skip as unknown as TestFn['serial'] };
}

const file = (): string => basename(new URL(test.meta.file).pathname);
