import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from './scope.ts';

/** A folder of its own, gone after the test. */
export function folder(t: Scope): string {
  const path = mkdtempSync(join(tmpdir(), 'nodewright-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
