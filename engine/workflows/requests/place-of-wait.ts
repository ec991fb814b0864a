/** Finds the wait that a user's notification is for. */
import type { TaskRunPlace } from '../../durable/actors/messages.ts';
import { receiversOf } from '../../durable/step/callbacks.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';

const LABELS_SHOWN = 20;

/**
 * @param task its label; absent: the only task run that waits
 * @throws NodewrightError NOT_FOUND for an unknown label, CONFLICT if no task run waits, or several do
 */
export function placeOfWait(row: WorkflowRow, task: string | undefined): TaskRunPlace {
  if (task !== undefined && !row.tasks.some(({ label }) => label === task))
    throw new NodewrightError('NOT_FOUND', `The workflow has no task with the label ${JSON.stringify(task)}`);
  const places = receiversOf(row).map(({ label, visit }): TaskRunPlace => ({ workflow: row.id, label, visit }));
  const waiting = new Map(places.map((place) => [place.label, place]));
  const [only, another] = waiting.values();
  const place = task === undefined ? only : waiting.get(task);
  if (place === undefined) throw conflict(row, task, [...waiting.keys()]);
  if (task === undefined && another !== undefined)
    throw new NodewrightError(
      'CONFLICT',
      `Several tasks wait for a notification; name one of ${shownLabels(waiting.keys())}`,
    );
  return place;
}

function conflict({ status }: WorkflowRow, task: string | undefined, waiting: readonly string[]): NodewrightError {
  const subject = task === undefined ? 'No task of the workflow' : `The task ${JSON.stringify(task)}`;
  const reason = waiting.length === 0 ? `the workflow is ${status}` : `${shownLabels(waiting)} waits`;
  return new NodewrightError(
    'CONFLICT',
    `${subject} ${task === undefined ? 'waits' : 'does not wait'} for a notification; ${reason}`,
  );
}

const shownLabels = (labels: Iterable<string>): string => [...labels].slice(0, LABELS_SHOWN).join(', ');
