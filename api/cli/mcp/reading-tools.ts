/** The tools of every assistant, which only read. */
import { Type } from 'typebox';
import type { PostBody } from '../../client/requests.ts';
import { explanationOf } from '../explanations.ts';
import { nodeOf } from '../node-of.ts';
import { whyOf } from '../why-of.ts';
import { latestWorkflow } from '../workflow-of.ts';
import { listInput, listQuery, reading, withTotal } from './assistant-tool.ts';

const node = Type.String({ description: 'a node: its id, MAC address, another identifier, or its name' });
const workflow = Type.String({ description: 'a workflow by its id, or by its node: the active one, else the last' });

/** A launch, as it is planned, asked for and started. */
export const launchInput = Type.Object({
  name: Type.String({ description: 'the graph, such as Graph.PowerOff.Node' }),
  node,
  options: Type.Optional(
    Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
      description: 'by label of a task, or `defaults` for all',
    }),
  ),
});

/** A whole record is several times as long; the tools `node` and `workflow` return it. */
const MAIN_FIELDS = {
  nodes: 'name,type,sku,tags,owner,active,held,health,power,vendor,model,serial',
  workflows: 'injectableName,node,status,progress,error,launchedBy,parent,rollout,paused,createdAt,finishedAt',
};
const FIELDS_TEXT = 'It has the main fields; `fields` in the filter chooses others, separated by commas.';

export const readingTools = [
  reading({
    name: 'summary',
    description: 'Counts of workflows and nodes, what is stuck, backlogs, and the state of stores, broker and disk.',
    input: Type.Object({}),
    run: async (client) => (await client.get('/summary')).body,
  }),
  reading({
    name: 'nodes',
    description: `Lists nodes, with what runs on each. ${FIELDS_TEXT}`,
    input: listInput('such as busy, health, sku, tags, name.prefix, power'),
    run: async (client, input) =>
      withTotal(await client.get('/nodes', { query: { fields: MAIN_FIELDS.nodes, ...listQuery(input) } })),
  }),
  reading({
    name: 'node',
    description: 'One node: its record, and its health with the reports of each source.',
    input: Type.Object({ node }),
    run: async (client, input) => {
      const record = await nodeOf(client, input.node);
      const health = await client.get('/nodes/:identifier/health', { params: { identifier: record.id } });
      return { record, health: health.body };
    },
  }),
  reading({
    name: 'workflows',
    description: `Lists workflows, newest first. ${FIELDS_TEXT}`,
    input: listInput('such as status, active, stuck, name, node, code, launchedBy, createdAt.gte'),
    run: async (client, input) =>
      withTotal(
        await client.get('/workflows', {
          query: { fields: MAIN_FIELDS.workflows, sort: '-createdAt', ...listQuery(input) },
        }),
      ),
  }),
  reading({
    name: 'workflow',
    description: 'One workflow: its status, its tasks, their attempts and errors.',
    input: Type.Object({ workflow }),
    run: (client, input) => latestWorkflow(client, input.workflow),
  }),
  reading({
    name: 'why',
    description:
      'Why a workflow, or that of a node, does not continue: its waits, since when, their limits, and what can be done.',
    input: Type.Object({ of: Type.String({ description: 'a workflow by its id, or a node' }) }),
    run: async (client, input) => (await whyOf(client, input.of)).answer,
  }),
  reading({
    name: 'history',
    description: 'The steps of a workflow, oldest first, with causes and errors.',
    input: Type.Object({ workflow, skip: Type.Optional(Type.Integer({ minimum: 0 })) }),
    run: async (client, { workflow: given, skip = 0 }) => {
      const { id } = await latestWorkflow(client, given);
      return withTotal(
        await client.get('/workflows/:id/history', { params: { id }, query: { $skip: skip, $top: 100 } }),
      );
    },
  }),
  reading({
    name: 'failures',
    description: 'Failed workflows, grouped by their cause, and what those of a group have in common.',
    input: listInput('such as graph, code, since, addressed'),
    run: async (client, input) => withTotal(await client.get('/failures', { query: listQuery(input) })),
  }),
  reading({
    name: 'diff',
    description: 'Compares two workflows of one graph: where the second first ended otherwise, and what differed.',
    input: Type.Object({ a: workflow, b: workflow }),
    run: async (client, input) => {
      const [a, b] = [await latestWorkflow(client, input.a), await latestWorkflow(client, input.b)];
      return (await client.get('/workflows/:a/diff/:b', { params: { a: a.id, b: b.id } })).body;
    },
  }),
  reading({
    name: 'plan',
    description: 'The effects of a launch on a node, and the reasons for which it would be rejected. Starts nothing.',
    input: launchInput,
    run: async (client, { name, node: given, options = {} }) => {
      const body: PostBody<'/workflows/plan'> = { name, nodeId: (await nodeOf(client, given)).id, options };
      return (await client.post('/workflows/plan', { body })).body;
    },
  }),
  reading({
    name: 'events',
    description: 'The log of events, oldest first: from a time (`since` in the filter), or after a position.',
    input: Type.Object({
      ...listInput('type, action, typeId, nodeId, status, severity, since').properties,
      after: Type.Optional(
        Type.Integer({ minimum: 0, description: 'a seq; without it and `since`: the oldest event' }),
      ),
    }),
    run: async (client, { after, ...list }) => {
      const { $top: limit, ...filter } = listQuery(list);
      return (await client.get('/events', { query: { ...filter, limit, after } })).body;
    },
  }),
  reading({
    name: 'explain',
    description:
      'The page of the reference on an error code, a graph, a task, an event, a metric or a configuration key.',
    input: Type.Object({ name: Type.String() }),
    run: async (_, input) => explanationOf(input.name).markdown,
  }),
];
