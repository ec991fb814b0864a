/** /rehearsals: what a rollout will probably do, to be compared with what it did. */
import { Type } from 'typebox';
import { optionalTexts, texts, times } from '../../engine/api-port/list-filter.ts';
import {
  type RehearsalBody,
  type RehearsalRequest,
  rehearsalRecord,
  rehearsalRequest,
} from '../../engine/api-port/rehearsals.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';
import { type RolloutCall, requestOf } from './rollouts.ts';

const route = routesOf('components');
const rehearsalView = projection(rehearsalRecord);

const noRehearsal = (id: string) => new NodewrightError('NOT_FOUND', `no rehearsal has the id ${id}`);

/** @throws NodewrightError INVALID */
export async function rehearsalRequestOf(
  call: Pick<RolloutCall, 'engine' | 'identity'>,
  { window, ticket: _, ...body }: RehearsalBody,
): Promise<RehearsalRequest> {
  return { ...(await requestOf({ ...call, body })), ...(window !== undefined && { window }) };
}

export const rehearsalRoutes = [
  route({
    id: 'listRehearsals',
    summary: 'List rehearsals, oldest first',
    method: 'GET',
    path: '/rehearsals',
    list: {
      ...texts('id', 'name', 'graph'),
      ...optionalTexts('createdBy'),
      ...times('createdAt', 'updatedAt'),
      seed: { kind: 'number' },
    },
    answer: { status: 200, schema: Type.Array(rehearsalRecord) },
    handle: async ({ engine, page }) => listReply(await engine.rehearsals.list(page), rehearsalView),
  }),
  route({
    id: 'createRehearsal',
    summary: 'Rehearse a rollout by earlier runs of its graph: nothing is started',
    method: 'POST',
    path: '/rehearsals',
    body: rehearsalRequest,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: rehearsalRecord },
    rejections: {
      404: 'No such graph, node or rollout',
      409: 'Too few earlier runs of the graph',
      429: 'Another rehearsal is under way',
    },
    handle: async ({ engine, identity, body }) => {
      const rehearsal = await engine.rehearsals.create(await rehearsalRequestOf({ engine, identity }, body));
      return { body: rehearsalView(rehearsal), headers: { Location: `/api/2.0/rehearsals/${rehearsal.id}` } };
    },
  }),
  route({
    id: 'getRehearsal',
    summary: 'Get a rehearsal',
    method: 'GET',
    path: '/rehearsals/:id',
    answer: { status: 200, schema: rehearsalRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.rehearsals.get(id), rehearsalView, () => noRehearsal(id)),
  }),
  route({
    id: 'removeRehearsal',
    summary: 'Delete a rehearsal',
    method: 'DELETE',
    path: '/rehearsals/:id',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) =>
      removalReply(await engine.rehearsals.remove(id), () => noRehearsal(id)),
  }),
];
