/** The effect of a command to many workflows, in words, and the workflows that take it. */
import type { BulkCommand } from '../../../../engine/vocabulary/states.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { workflowCan } from '../../data/workflow-can.ts';

export type BulkTarget = Pick<
  GetAnswer<'/workflows'>[number],
  'id' | 'injectableName' | 'node' | 'status' | 'paused' | 'parent' | 'error'
>;

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

export function takersOf(command: BulkCommand, workflows: readonly BulkTarget[]): Takers {
  const others = new Map<string, number>();
  const takers = workflows.filter((workflow) => {
    const reason = workflowCan[command === 'retry' ? 'retryFailed' : command](workflow);
    if (reason !== undefined) others.set(reason, (others.get(reason) ?? 0) + 1);
    return reason === undefined;
  });
  return { takers, others };
}

/** Why no workflow takes it; undefined: some do. */
export function disabledReason({ takers, others }: Takers): string | undefined {
  if (takers.length > 0) return undefined;
  return others.size === 0 ? 'Select workflows first.' : [...others.keys()].join(' ');
}
