/** What a launch would do, without starting it. */
import type { Requests } from './requests.ts';

export interface Launch {
  graph: string;
  /** By task label, or `defaults` for all tasks. */
  options: Record<string, Record<string, unknown>>;
}

export type ShownPlan = Awaited<ReturnType<typeof requestPlan>>;

/** Starts nothing. @throws the error of the request for an unknown graph */
export async function requestPlan(client: Requests, { graph, options }: Launch, node: { id: string } | undefined) {
  const body = { name: graph, options, ...(node !== undefined && { nodeId: node.id }) };
  return (await client.post('/workflows/plan', { body })).body;
}

export const isDestructive = ({ tasks }: ShownPlan): boolean => tasks.some(({ destructive }) => destructive);
