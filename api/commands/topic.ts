/** A topic of the command `nodewright`. */
import { NodewrightError } from '../../engine/define/errors.ts';

export interface CommandTopic {
  /** Its lines, without the name of the program. */
  usage: readonly string[];
  /** @returns the exit code; undefined: wrong arguments */
  run(args: readonly string[]): Promise<number | undefined>;
}

/**
 * Awaits the work of a topic that shows its errors with their codes.
 * @param work undefined: wrong arguments @returns 0 done, 1 rejected or failed, 2 for a wrong configuration
 */
export async function exitCodeOf(work: Promise<void> | undefined): Promise<number | undefined> {
  try {
    await work;
    return work && 0;
  } catch (error) {
    if (!(error instanceof NodewrightError)) throw error;
    console.error(`nodewright: ${error.code}: ${error.message}`);
    return error.code === 'CONFIG_INVALID' ? 2 : 1;
  }
}
