/** The lock of the folder of a twin or a demo: one process works in it. */
import { lockDataDir } from '../../../engine/platform/store/lock.ts';
import { codeOf } from '../../../engine/vocabulary/thrown-values.ts';
import { CommandError } from '../exit-codes.ts';

/** @param name of what runs there @throws CommandError */
export function lockFolder(name: 'demo' | 'twin', folder: string): ReturnType<typeof lockDataDir> {
  try {
    return lockDataDir(folder);
  } catch (error) {
    if (codeOf(error) !== 'DATA_DIR_LOCKED') throw error;
    throw new CommandError(`a ${name} runs on ${folder} already; end it, or give another folder by --data`);
  }
}
