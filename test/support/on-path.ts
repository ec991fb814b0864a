import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the program's path, or undefined when no folder of the PATH has it. */
export const onPath = (program: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(existsSync);
