/** Loads libsql, whose program is a package of its own for each platform. */
import { createRequire } from 'node:module';
import type Database from 'libsql';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { packagePath } from '../../vocabulary/package-path.ts';

/** @throws NodewrightError PLATFORM_UNSUPPORTED when there is no program for this platform, or it cannot be loaded */
export function loadLibsql(): typeof Database {
  try {
    return createRequire(packagePath('package.json'))('libsql') as typeof Database;
  } catch (cause) {
    const { platform, arch, version } = process;
    throw new NodewrightError(
      'PLATFORM_UNSUPPORTED',
      `the package libsql cannot be loaded on ${platform} ${arch} with Node ${version}; ` +
        'run npm ci without --omit=optional on this machine, or use a platform for which libsql has a program',
      { cause },
    );
  }
}
