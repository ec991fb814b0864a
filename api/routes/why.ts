/** Why a workflow or a node does not continue, what differs between two workflows, and the totals of the daemon. */

import { summaryRecord, whyRecord } from '../../engine/api-port/diagnosis.ts';
import { workflowDiffRecord } from '../../engine/api-port/workflow-diffs.ts';
import { whyWithin } from '../auth/member-nodes.ts';
import { checkWorkflow } from '../auth/reach.ts';
import { nodeIdNamed, noWorkflow } from '../http/rejections.ts';
import { recordReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';
import { summaryView, whyView } from '../views/why.ts';

const route = routesOf('components');

const diffView = projection(workflowDiffRecord);

export const whyRoutes = [
  route({
    id: 'diffWorkflows',
    summary: 'Compare two workflows of one graph: the first label that ended otherwise, inputs, nodes, times',
    method: 'GET',
    path: '/workflows/:a/diff/:b',
    reach: { by: 'handler' },
    answer: { status: 200, schema: workflowDiffRecord },
    handle: async ({ engine, scope, params: { a = '', b = '' } }) => {
      for (const id of [a, b]) await checkWorkflow(engine, scope, id);
      return { body: diffView(await engine.diagnosis.diff(a, b)) };
    },
  }),
  route({
    id: 'whyWorkflow',
    summary: 'Explain what a workflow waits for, what ends that, and what can be done',
    method: 'GET',
    path: '/workflows/:id/why',
    reach: { by: 'workflow' },
    answer: { status: 200, schema: whyRecord },
    handle: async ({ engine, scope, params: { id = '' } }) => {
      const why = await engine.diagnosis.whyWorkflow(id, scope?.team);
      return recordReply(why && (await whyWithin(engine, scope, why)), whyView, () => noWorkflow(id));
    },
  }),
  route({
    id: 'whyNode',
    summary: 'Explain what the workflow on a node waits for',
    method: 'GET',
    path: '/nodes/:identifier/why',
    reach: { by: 'node' },
    answer: { status: 200, schema: whyRecord },
    handle: async ({ engine, scope, params: { identifier = '' } }) => {
      const why = await engine.diagnosis.whyNode(await nodeIdNamed(engine, identifier), scope?.team);
      return { body: whyView(await whyWithin(engine, scope, why)) };
    },
  }),
  route({
    id: 'getSummary',
    summary: 'Get totals: workflows, nodes, backlogs, open circuits of BMCs, broker, stores, disk',
    method: 'GET',
    path: '/summary',
    answer: { status: 200, schema: summaryRecord },
    handle: async ({ engine }) => ({ body: summaryView(await engine.diagnosis.summary()) }),
  }),
];
