/**
 * Tests that need a program which this machine may not have: without it they are skipped, and say so in one line for
 * each file. In CI (`CI=true`) they run and fail, so that a missing program never looks like success.
 */
import { basename } from 'node:path';
import test, { type TestFn } from 'ava';

export { onPath } from './on-path.ts';

/** @param missing why the tests cannot run here; undefined: they can */
export function needing(missing: string | undefined): Pick<TestFn, 'serial'> {
  if (missing === undefined || process.env.CI === 'true') return test;
  let skipped = 0;
  const skip = (title: string) => {
    if (skipped === 0) setImmediate(() => console.log(`${file()}: ${skipped} tests skipped: ${missing}`));
    skipped += 1;
    test.skip(title, () => {});
  };
  return { serial: skip as unknown as TestFn['serial'] };
}

const file = (): string => basename(new URL(test.meta.file).pathname);
