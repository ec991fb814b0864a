import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './remove-folder.ts';
import type { Scope } from './scope.ts';

/** Creates a folder that is removed when its owner `t` ends. */
export function folder(t: Scope): string {
  const path = mkdtempSync(join(tmpdir(), 'nodewright-'));
  t.teardown(() => removeFolder(path));
  return path;
}
