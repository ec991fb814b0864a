/** The entries of a history in the words of operators. */
import type { Cause } from '../../../../engine/vocabulary/cause.ts';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { innermostStates } from '../../../../engine/vocabulary/state-words.ts';
import type { StepLine } from './history-steps.ts';

const ofTasks: Record<string, string> = {
  waiting: 'waits',
  succeeded: 'succeeded',
  failed: 'failed',
  timeout: 'timed out',
  cancelled: 'was cancelled',
  skipped: 'was not needed',
  progress: 'reported progress',
};

const ofWorkflows: Record<string, string> = {
  running: 'the workflow began',
  succeeded: 'the workflow succeeded',
  failed: 'the workflow failed',
  cancelled: 'the workflow was cancelled',
  cancelling: 'the workflow is being cancelled',
  compensating: 'the workflow began to undo what it did',
  paused: 'the workflow was paused',
  resumed: 'the workflow was resumed',
  quarantined: 'the workflow went into quarantine',
  released: 'the workflow was released from quarantine',
  suspended: 'the workflow was suspended',
};

/** Without the label of its task: `waits`, `the graph entered erasing: waiting`. */
function textOf({ event, label, from, to, attempt = 1 }: StepLine): string {
  const [kind, what = ''] = event.split('.');
  if (label === undefined) {
    if (kind === 'workflow') return ofWorkflows[what] ?? what;
    if (event === 'holds.overridden') return 'holds of the node were overridden';
    const before = innermostStates(from);
    return `the graph entered ${innermostStates(to)
      .filter((path) => !before.includes(path))
      .join(', ')}`;
  }
  if (what === 'running') {
    if (attempt > 1 && from !== 'running') return `began attempt ${attempt}`;
    return from === 'waiting' ? 'continued' : 'began';
  }
  return what === 'cancelled' && from === 'pending' ? 'did not run' : (ofTasks[what] ?? what);
}

/** `update failed` */
export const lineText = (line: StepLine): string =>
  line.label === undefined ? textOf(line) : `${line.label} ${textOf(line)}`;

/** Tasks with the same change are named together. */
export function stepWords(lines: readonly StepLine[]): string {
  const labels = new Map<string, Set<string>>();
  for (const line of lines) {
    const text = textOf(line);
    const named = labels.get(text) ?? new Set();
    if (line.label !== undefined) named.add(line.label);
    labels.set(text, named);
  }
  return [...labels].map(([text, named]) => [namesOf([...named]), text].filter(Boolean).join(' ')).join('; ');
}

/** Labels that are named together. */
const MOST_NAMED = 5;

const namesOf = (labels: readonly string[]): string =>
  labels.length > MOST_NAMED ? countText(labels.length, 'task') : labels.join(', ');

const causes: Record<Cause['kind'], string> = {
  notification: 'a notification of the node',
  timer: 'the time',
  activity: 'the end of a command',
  agent: "the node's agent",
  user: 'a user',
  engine: 'another part of the workflow',
};

/** @returns undefined: not known */
export const causeWords = ({ by, cause }: { by?: string | undefined; cause?: Pick<Cause, 'kind'> | undefined }) =>
  by ?? (cause && causes[cause.kind]);
