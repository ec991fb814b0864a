/** Resolves a callback nonce: the nonce names its workflow, and the workflow's row proves that it is genuine. */
import type { TaskRunPlace } from '../../durable/actors/messages.ts';
import { placeOf } from '../../durable/step/callbacks.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { Collection } from '../../platform/store/port.ts';
import { parseNonce } from '../../vocabulary/callback.ts';

export interface CallbackTarget {
  row: WorkflowRow;
  place: TaskRunPlace;
}

/** @returns undefined when the nonce belongs to no stored workflow */
export async function calledBy(
  stored: Pick<Collection<WorkflowRow>, 'get'>,
  nonce: string,
): Promise<CallbackTarget | undefined> {
  const parsed = parseNonce(nonce);
  const row = parsed && (await stored.get(parsed.workflow));
  const place = row && placeOf(row, nonce);
  return place && { row, place };
}

/** Returns the callback's parameters, completed as those of the equivalent notification. */
export const parametersOf = (
  { row, place }: CallbackTarget,
  given: Record<string, unknown>,
): Record<string, unknown> => ({
  ...given,
  ...(row.node !== null && { nodeId: row.node }),
  task: place.label,
});

/** Returns the key by which the node's actor recognizes a repeated callback; it does not contain the secret. */
export const knownAs = ({ workflow, label, visit }: TaskRunPlace): string => `callback ${workflow} ${visit} ${label}`;
