/** Why a workflow or a node does not continue, and the totals of the daemon. */
import { nodeIdNamed, noWorkflow, required } from '../http/rejections.ts';
import { route } from '../http/route.ts';
import { summaryRecord, summaryView, whyRecord, whyView } from '../views/why.ts';

export const whyRoutes = [
  route({
    id: 'whyWorkflow',
    summary: 'Explain what a workflow waits for, what ends that, and what can be done',
    method: 'GET',
    path: '/workflows/:id/why',
    resourceGroup: 'components',
    answer: { status: 200, schema: whyRecord },
    handle: async ({ engine, params: { id = '' } }) => {
      const why = required(await engine.diagnosis.whyWorkflow(id), () => noWorkflow(id));
      return { status: 200, body: whyView(why) };
    },
  }),
  route({
    id: 'whyNode',
    summary: 'Explain what the workflow on a node waits for',
    method: 'GET',
    path: '/nodes/:identifier/why',
    resourceGroup: 'components',
    answer: { status: 200, schema: whyRecord },
    handle: async ({ engine, params: { identifier = '' } }) => {
      const why = await engine.diagnosis.whyNode(await nodeIdNamed(engine, identifier));
      return { status: 200, body: whyView(why) };
    },
  }),
  route({
    id: 'getSummary',
    summary: 'Get totals: workflows, nodes, backlogs, open circuits of BMCs, broker, stores, disk',
    method: 'GET',
    path: '/summary',
    resourceGroup: 'components',
    answer: { status: 200, schema: summaryRecord },
    handle: async ({ engine }) => ({ status: 200, body: summaryView(await engine.diagnosis.summary()) }),
  }),
];
