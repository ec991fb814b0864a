/** The plan of a launch, as the daemon makes it. */
import type { TaskOptions } from './launch-options.ts';
import type { PostAnswer, Requests } from './requests.ts';

export type ShownPlan = PostAnswer<'/workflows/plan'>;

export interface Launch {
  graph: string;
  options: TaskOptions;
  /** The id of an approved ticket. */
  ticket?: string;
}

/** Starts nothing. @throws an error for an unknown graph or node */
export async function requestPlan(
  client: Requests,
  { graph, options, ticket }: Launch,
  node: { id: string } | undefined,
): Promise<ShownPlan> {
  const approved = ticket === undefined ? {} : { ticket };
  const body = { name: graph, options, ...approved, ...(node !== undefined && { nodeId: node.id }) };
  return (await client.post('/workflows/plan', { body })).body;
}

/** A label may come after all others. */
const LABELS_NAMED = 3;

/** `a, b, c and 4 more`; null: none. */
export function labelsInShort(labels: readonly string[]): string | null {
  const rest = labels.length - LABELS_NAMED;
  const named = labels.slice(0, LABELS_NAMED).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named || null;
}
