/** The work of `nw rehearse`. */
import type { RehearsalBody } from '../../engine/api-port/rehearsals.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { withOldRejections } from '../../engine/vocabulary/until-0.2.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { onSignals } from './on-signals.ts';
import type { OutputFormat } from './output.ts';
import { showReport } from './rehearsal-view.ts';
import { type RehearseFlags, rehearseOn } from './store/rehearse.ts';
import { inform } from './terminal.ts';

export async function showRehearsal(
  body: RehearsalBody,
  { output, ...flags }: RehearseFlags & { output: OutputFormat },
): Promise<void> {
  if (body.ticket !== undefined) inform('The rehearsal ignores the ticket.');
  const { report, nameOf } = await endingOnSignals(() => rehearseOn(body, flags));
  showReport(report, withOldRejections(report), output, nameOf);
}

/**
 * Ends the process on a signal: the copy of the site is removed when a process ends, also in the middle of a read of it. An exit code
 * of 1 says that the rollout would probably stop; for wrong input it is 2.
 */
async function endingOnSignals<T>(work: () => Promise<T>): Promise<T> {
  const off = onSignals(() => process.exit(EXIT.interrupted));
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NodewrightError)) throw error;
    throw new CommandError(`${error.code}: ${error.message}`, EXIT.usage);
  } finally {
    off();
  }
}
