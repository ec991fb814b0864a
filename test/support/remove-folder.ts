import { rmSync } from 'node:fs';

/** Removes a folder. A process that is just ending may still write files into it: the removal is tried again for seconds. */
export const removeFolder = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
