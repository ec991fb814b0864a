/** The workflows that a command acts on together: by options that are filters of their list. */
import { type Command, InvalidArgumentError } from 'commander';
import { isActive } from '../../engine/vocabulary/states.ts';
import { checkNames } from './checked-names.ts';
import type { Client } from './client.ts';
import { idsOf } from './id-of.ts';
import { nodeOf } from './node-of.ts';
import { appendValue, timeSpan } from './option-values.ts';
import { wholeList } from './whole-list.ts';
import type { Workflow } from './workflow-of.ts';

export interface SelectionOptions {
  /** Only of `retry`, which takes failed ones anyway. */
  failed?: boolean;
  stuck?: boolean;
  code?: string;
  graph?: string;
  node?: string;
  batch?: string;
  rollout?: string;
  since?: number;
  filter?: string[];
}

export type SelectedWorkflow = Pick<Workflow, 'id' | 'injectableName' | 'node' | 'status'>;

/** Adds the options to a command that otherwise acts on one workflow. */
export const selecting = (command: Command): Command =>
  command
    .option('--stuck', 'without a workflow: on all that do not go on as usual')
    .option('--code <code>', 'on those whose error has this code')
    .option('--graph <name>', 'on those of the graph')
    .option('--node <node>', 'on those of the node: by id, MAC, identifier or name')
    .option('--batch <batch>', 'on those of the batch')
    .option('--rollout <rollout>', 'on those of the rollout')
    .option(
      '--since <time>',
      'on those that ended, or were launched if they are active, in this time, such as 2h',
      timeSpan,
    )
    .option('--filter <key=value>', 'another filter of the list of workflows; may be repeated', filterOption);

export function filterOption(text: string, before: readonly string[] = []): string[] {
  if (!/^[^=]+=/.test(text)) throw new InvalidArgumentError('Expected key=value.');
  return appendValue(text, before);
}

/** Filters of a list, as options give them. */
export const filterQuery = (given: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(given.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));

export const isSelection = ({ failed, stuck, code, graph, node, batch, rollout, since, filter }: SelectionOptions) =>
  [failed, stuck, code, graph, node, batch, rollout, since, filter].some((one) => one !== undefined);

/**
 * @param ended those that have ended, by default the failed ones; otherwise active ones
 * @throws CommandError if there are none, and the node, graph, batch or rollout does not exist
 */
export async function selectedWorkflows(
  client: Client,
  { stuck, code, graph, node, batch, rollout, since, filter }: SelectionOptions,
  ended: boolean,
): Promise<SelectedWorkflow[]> {
  const query = {
    status: ended ? 'failed' : 'pending,running',
    stuck,
    code,
    injectableName: graph,
    node: node === undefined ? undefined : (await nodeOf(client, node)).id,
    batch: await idsOf(client, 'batch', batch),
    rollout: await idsOf(client, 'rollout', rollout),
    // A child is part of the workflow that launched it.
    root: 'null',
    ...(since !== undefined && {
      [ended ? 'finishedAt.gte' : 'createdAt.gte']: new Date(Date.now() - since).toISOString(),
    }),
    ...filterQuery(filter),
    fields: 'id,injectableName,node,status',
  };
  const { body } = await wholeList((page) => client.get('/workflows', { query: page }), query);
  if (body.length === 0) await checkNames(client, { graph });
  return ended ? body.filter(({ status }) => !isActive(status)) : body;
}
