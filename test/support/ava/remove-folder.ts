import { rmSync } from 'node:fs';
import { codeOf } from '../../../engine/vocabulary/thrown-values.ts';

const ATTEMPTS = 40;

/**
 * Removes a folder. A process that is just ending may still write files into it, so each attempt lists it anew, which
 * the repetitions of `rmSync` do not; they only wait between the attempts.
 */
export function removeFolder(path: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 1, retryDelay: 100 });
      return;
    } catch (error) {
      if (codeOf(error) !== 'ENOTEMPTY' || attempt === ATTEMPTS) throw error;
    }
  }
}
