/** The effect of a command to many workflows, in words, and the workflows that take it. */
import type { BulkCommand } from '../../../../engine/vocabulary/states.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { workflowCan } from '../../data/workflow-can.ts';

export type BulkTarget = Pick<
  GetAnswer<'/workflows'>[number],
  'id' | 'injectableName' | 'node' | 'status' | 'paused' | 'parent' | 'error' | 'retryOf' | 'createdAt'
>;

/** Nodes and rejections that are named. */
export const NAMED = 12;

export const commandTitles: Record<BulkCommand, string> = {
  retry: 'Retry',
  cancel: 'Cancel',
  pause: 'Pause',
  resume: 'Resume',
};

export const effects: Record<BulkCommand, string> = {
  retry: 'Each begins again as a new workflow, at its failed task. Tasks that succeeded are not repeated.',
  cancel:
    'No further task begins, and commands that run are ended. Then the nodes are free. A cancel cannot be undone.',
  pause: 'No further task begins; those that run go to their end. The nodes stay busy until the workflows are resumed.',
  resume: 'The tasks that were kept back begin.',
};

export interface Takers {
  takers: readonly BulkTarget[];
  /** How many do not take the command, by their reason. */
  others: ReadonlyMap<string, number>;
}

/** @param listed all that the reader sees, among which a retry of one may be; by default those of the command */
export function takersOf(
  command: BulkCommand,
  workflows: readonly BulkTarget[],
  listed: readonly BulkTarget[] = workflows,
): Takers {
  const replaced = command === 'retry' ? replacedRuns(workflows, listed) : new Set();
  const others = new Map<string, number>();
  const takers = workflows.filter((workflow) => {
    const reason = replaced.has(workflow.id)
      ? 'A newer run has replaced it.'
      : workflowCan[command === 'retry' ? 'retryFailed' : command](workflow);
    if (reason !== undefined) others.set(reason, (others.get(reason) ?? 0) + 1);
    return reason === undefined;
  });
  return { takers, others };
}

/** Those that were retried, and all but the newest run of a graph on a node. */
function replacedRuns(workflows: readonly BulkTarget[], listed: readonly BulkTarget[]): ReadonlySet<string> {
  const ids = new Set(listed.flatMap(({ retryOf }) => retryOf ?? []));
  const newest = new Map<string, BulkTarget>();
  for (const run of workflows) {
    const key = run.node === null ? run.id : `${run.injectableName} ${run.node}`;
    const other = newest.get(key) ?? run;
    newest.set(key, run.createdAt > other.createdAt ? run : other);
    if (run !== other) ids.add(run.createdAt > other.createdAt ? other.id : run.id);
  }
  return ids;
}

/** Why no workflow takes it; undefined: some do. */
export const disabledReason = ({ takers, others }: Takers): string | undefined =>
  takers.length > 0 ? undefined : [...others.keys()].join(' ');
