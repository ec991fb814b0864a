/** Work on the store of a daemon, by its configuration (`NODEWRIGHT_CONFIG`), without the daemon. */
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

/** Awaits the work; an error has its code, a wrong configuration the exit code for wrong usage. */
export async function inStore(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (!(error instanceof NodewrightError)) throw new CommandError(messageOf(error));
    const isUsage = error.code === 'CONFIG_INVALID';
    throw new CommandError(`${error.code}: ${error.message}`, isUsage ? EXIT.usage : EXIT.failed);
  }
}
