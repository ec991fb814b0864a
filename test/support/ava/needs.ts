/**
 * Tests that need a program which this machine may not have: without it they are skipped, and reported in one line per
 * file. In CI (`CI=true`) they run and fail, so that a missing program never looks like success, except for programs
 * that CI lists as missing (`NODEWRIGHT_TEST_WITHOUT`, comma-separated names).
 */
import { basename } from 'node:path';
import test, { type TestFn } from 'ava';

const without = (process.env.NODEWRIGHT_TEST_WITHOUT ?? '').split(',');

/**
 * @param missing the reason why the tests cannot run here; undefined: they can
 * @param server its name in `NODEWRIGHT_TEST_WITHOUT`
 */
export function needing(missing: string | undefined, server?: string): Pick<TestFn, 'serial'> {
  const required = process.env.CI === 'true' && (server === undefined || !without.includes(server));
  if (missing === undefined || required) return test;
  const file = basename(new URL(test.meta.file).pathname);
  let skipped = 0;
  const skip = (title: string) => {
    if (skipped === 0) setImmediate(() => console.log(`${file}: ${skipped} tests skipped: ${missing}`));
    skipped += 1;
    test.skip(title, () => {});
  };
  return { serial: skip as unknown as TestFn['serial'] };
}
