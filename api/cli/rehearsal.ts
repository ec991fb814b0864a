/** The work of `nw rehearse`. */
import type { RehearsalBody } from '../../engine/api-port/rehearsals.ts';
import { withOldRejections } from '../../engine/vocabulary/until-0.2.ts';
import type { OutputFormat } from './output.ts';
import { showReport } from './rehearsal-view.ts';
import { type RehearseFlags, rehearseOn } from './store/rehearse.ts';
import { inform } from './terminal.ts';

export async function showRehearsal(
  body: RehearsalBody,
  { output, ...flags }: RehearseFlags & { output: OutputFormat },
): Promise<void> {
  if (body.ticket !== undefined) inform('The rehearsal ignores the ticket.');
  const { report, nameOf } = await rehearseOn(body, flags);
  showReport(report, withOldRejections(report), output, nameOf);
}
