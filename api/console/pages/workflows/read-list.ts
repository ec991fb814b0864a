/** Reads as many pages of workflows as the reader wants. */
import type { GetAnswer } from '../../../client/requests.ts';
import { session } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { isNodeId, type ListChoice, parametersOfChoice } from './list-choice.ts';

export type ListedWorkflow = GetAnswer<'/workflows'>[number];

export interface ListedWorkflows {
  rows: readonly ListedWorkflow[];
  total: number;
  /** How many were looked at to find them. */
  looked: number;
  /** More nodes than are looked at have a name that begins so. */
  isCut: boolean;
}

export const WORKFLOWS_PER_PAGE = 1_000;
const MAX_MATCHES = 200;

/** @throws RequestError */
export async function readList(choice: ListChoice, pages: number): Promise<ListedWorkflows> {
  const namedNodes = await nodesNamed(choice.node);
  const user = session.value?.username ?? undefined;
  const query = parametersOfChoice(choice, { now: new Date(), nodes: namedNodes?.ids, user });
  if (query === undefined) return { rows: [], total: 0, looked: 0, isCut: false };
  // Workflows that were launched in the meantime move others to the next page.
  const rows = new Map<string, ListedWorkflow>();
  let total = 0;
  for (let page = 0; page < pages; page++) {
    const answer = await client.get('/workflows', {
      query: { ...query, $top: WORKFLOWS_PER_PAGE, $skip: page * WORKFLOWS_PER_PAGE },
    });
    const { body } = answer;
    for (const row of body) rows.set(row.id, row);
    total = answer.total ?? rows.size;
    if (body.length < WORKFLOWS_PER_PAGE) break;
  }
  return { rows: [...rows.values()], total, looked: rows.size, isCut: namedNodes?.isCut ?? false };
}

async function nodesNamed(name: string | undefined): Promise<{ ids: string[]; isCut: boolean } | undefined> {
  if (name === undefined || isNodeId(name)) return undefined;
  const { body, total = 0 } = await client.get('/nodes', {
    query: { 'name.prefix': name, fields: 'id', $top: MAX_MATCHES },
  });
  return { ids: body.map(({ id }) => id), isCut: total > body.length };
}
