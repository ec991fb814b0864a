/** The workflows that need a person: those that are stuck, and those that failed in a day. */

import { DAY_MS } from '../../../../engine/vocabulary/units.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';

type ListedWorkflow = GetAnswer<'/workflows'>[number];

export interface NeedyWorkflows {
  /** The first of `stuckTotal`. */
  stuck: readonly ListedWorkflow[];
  stuckTotal: number;
  /** The newest of `failedTotal`, newest first. */
  failed: readonly ListedWorkflow[];
  failedTotal: number;
}

const STUCK = 20;
const FAILED = 500;

/** @throws RequestError */
export async function readNeeds(): Promise<NeedyWorkflows> {
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const failedFields = 'id,injectableName,node,error,finishedAt';
  const [stuck, failed] = await Promise.all([
    read({ stuck: true, fields: 'id,injectableName,node,waiting,dueAt,updatedAt', $top: STUCK }),
    read({ status: 'failed', 'finishedAt.gte': since, fields: failedFields, sort: '-finishedAt', $top: FAILED }),
  ]);
  return { stuck: stuck.body, stuckTotal: stuck.total, failed: failed.body, failedTotal: failed.total };
}

async function read(query: Record<string, string | number | boolean>) {
  const { body, total = body.length } = await client.get('/workflows', { query });
  return { body, total };
}
