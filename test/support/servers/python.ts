/** Python with a library: Debian's packages are for Debian's Python, which may not be the first on the PATH. */
import { spawnSync } from 'node:child_process';

/** Returns the Python program that has the library, or undefined. */
export const pythonWith = (library: string): string | undefined =>
  ['python3', '/usr/bin/python3'].find(
    (program) => spawnSync(program, ['-c', `import ${library}`], { stdio: 'ignore' }).status === 0,
  );
