/** The stand-in for racadm, as a program on a PATH. */
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';

/** @returns the environment of a process that finds it */
export function racadmEnvironment(scope: Scope): { PATH: string } {
  const home = folder(scope);
  const program = packagePath('test/support/bmcs/racadm-client.mjs');
  const file = join(home, 'racadm');
  writeFileSync(
    file,
    `#!/bin/sh\nNODE_TLS_REJECT_UNAUTHORIZED=0 exec '${process.execPath}' --no-warnings '${program}' "$@"\n`,
  );
  chmodSync(file, 0o755);
  return { PATH: `${home}${delimiter}${process.env.PATH}` };
}
