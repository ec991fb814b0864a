import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from './scope.ts';

/** Creates a folder that is removed when its owner `t` ends. */
export function folder(t: Scope): string {
  const path = mkdtempSync(join(tmpdir(), 'nodewright-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
