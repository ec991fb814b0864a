import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the program's path, or undefined when no folder of the PATH has it. */
export const onPath = (program: string): string | undefined => inPath(process.env.PATH, program);

export const inPath = (path: string | undefined, program: string): string | undefined =>
  (path ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(existsSync);
