/** A workflow's course as lines for people and snapshots: times since the launch; no ids and no dates. */
import type { HistoryEntry } from '../durable/step/row.ts';
import { stateText, timeText } from './readable.ts';

/** Returns a line such as `1.5s disks: running -> waiting (attempt 2, OBM_BUSY: the BMC is busy)`. */
export function traceLine({ at, event, label, from, to, attempt, error }: HistoryEntry, start: number): string {
  const who = label ?? (event.startsWith('workflow.') ? 'workflow' : 'graph');
  const notes = [
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(error === undefined ? [] : [`${error.code}: ${error.message}`]),
  ];
  const [before, after] = [stateText(from), stateText(to)];
  const states = before === after ? `${after} [${event.replace(/^\w+\./, '')}]` : `${before} -> ${after}`;
  return `${timeText(Date.parse(at) - start)} ${who}: ${states}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}
