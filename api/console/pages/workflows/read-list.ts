/** Reads as many workflows as the reader wants. */
import type { GetAnswer } from '../../../client/requests.ts';
import { session } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { isInView, isNodeId, type ListChoice, parametersOfChoice } from './list-choice.ts';

export type ListedWorkflow = GetAnswer<'/workflows'>[number];

export interface ListedWorkflows {
  rows: readonly ListedWorkflow[];
  total: number;
  /** How many were looked at to find them. */
  looked: number;
  /** More nodes than are looked at have a name that begins so. */
  isCut: boolean;
}

/** Rows at first, which a reader sees soon, and those of one request. */
export const FIRST_ROWS = 200;
export const ROWS_PER_REQUEST = 1_000;
const MAX_MATCHES = 200;

/** @throws RequestError */
export async function readList(choice: ListChoice, wanted: number): Promise<ListedWorkflows> {
  const namedNodes = await nodesNamed(choice.node);
  const user = session.value?.username ?? undefined;
  const query = parametersOfChoice(choice, { now: new Date(), nodes: namedNodes?.ids, user });
  if (query === undefined) return { rows: [], total: 0, looked: 0, isCut: false };
  // Workflows that were launched in the meantime move others to the next page.
  const rows = new Map<string, ListedWorkflow>();
  let total = 0;
  for (let $skip = 0; $skip < wanted; $skip += ROWS_PER_REQUEST) {
    const $top = Math.min(ROWS_PER_REQUEST, wanted - $skip);
    const { body, total: counted } = await client.get('/workflows', { query: { ...query, $top, $skip } });
    for (const row of body) rows.set(row.id, row);
    total = counted ?? rows.size;
    if (body.length < $top) break;
  }
  const inView = [...rows.values()].filter((row) => isInView(choice, row));
  return {
    rows: inView,
    total: total - (rows.size - inView.length),
    looked: inView.length,
    isCut: namedNodes?.isCut ?? false,
  };
}

async function nodesNamed(name: string | undefined): Promise<{ ids: string[]; isCut: boolean } | undefined> {
  if (name === undefined || isNodeId(name)) return undefined;
  const { body, total = 0 } = await client.get('/nodes', {
    query: { 'name.prefix': name, fields: 'id', $top: MAX_MATCHES },
  });
  return { ids: body.map(({ id }) => id), isCut: total > body.length };
}
