/** The workflows that a workflow has launched, and those below them. */
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import type { ShownWorkflow } from './shown-workflow.ts';

export interface WorkflowsBelow {
  all: readonly BelowWorkflow[];
  isCut: boolean;
}

export type BelowWorkflow = GetAnswer<'/workflows'>[number];

/** Workflows below one at the top that are looked at. */
const MAX_BELOW = 200;
const FIELDS = 'id,injectableName,status,paused,waiting,parent,parentLabel,createdAt,startedAt,finishedAt';

/** All below the same top, the oldest first; until they are read, none. */
export function useWorkflowsBelow({ id, root }: ShownWorkflow): WorkflowsBelow {
  const query = { root: root ?? id, fields: FIELDS, sort: 'createdAt', $top: MAX_BELOW };
  const { value } = useLive(
    `below ${id}`,
    () => client.get('/workflows', { query }),
    ({ type }) => type === 'graph',
  );
  const { body = [], total = body.length } = value.value ?? {};
  return { all: body, isCut: total > body.length };
}

export const childrenOf = (id: string, all: readonly BelowWorkflow[]): BelowWorkflow[] =>
  all.filter(({ parent }) => parent === id);
