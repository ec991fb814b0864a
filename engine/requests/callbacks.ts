/** Whose callback a nonce is: the nonce names its workflow, and the workflow's row says whether it is genuine. */
import type { Place } from '../actors/messages.ts';
import { parseNonce } from '../define/callback.ts';
import { placeOf } from '../step/callbacks.ts';
import type { WorkflowRow } from '../step/row.ts';
import type { Collection } from '../store/port.ts';

export interface Called {
  row: WorkflowRow;
  place: Place;
}

/** @returns undefined for a nonce of no workflow that is kept */
export async function calledBy(stored: Collection<WorkflowRow>, nonce: string): Promise<Called | undefined> {
  const parsed = parseNonce(nonce);
  const row = parsed && (await stored.get(parsed.workflow));
  const place = row && placeOf(row, nonce);
  return place && { row, place };
}

/** What a callback says besides, as the notification that it stands for would. */
export const parametersOf = ({ row, place }: Called, given: Record<string, unknown>): Record<string, unknown> => ({
  ...given,
  ...(row.node !== null && { nodeId: row.node }),
  task: place.label,
});

/** How the node's actor knows a callback that came before: without the secret. */
export const knownAs = ({ workflow, label, visit }: Place): string => `callback ${workflow} ${visit} ${label}`;
