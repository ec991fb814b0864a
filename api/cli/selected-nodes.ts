/** The nodes that a command selects by options, which are filters of their list. */
import type { Command } from 'commander';
import type { Client } from './client.ts';
import { idOf } from './id-of.ts';
import { appendValue } from './option-values.ts';
import { filterOption, filterQuery } from './workflow-selection.ts';

export interface NodeFilterOptions {
  sku?: string;
  tag?: string[];
  filter?: string[];
}

/** Adds the options to a command that otherwise takes nodes. */
export const filteringNodes = (command: Command): Command =>
  command
    .option('--sku <sku>', 'instead of nodes: those of the SKU, by its name')
    .option('--tag <tag>', 'instead of nodes: those with the tag; may be repeated, for any of them', appendValue)
    .option('--filter <key=value>', 'instead of nodes: a filter of the list of nodes; may be repeated', filterOption);

export const hasNodeFilter = ({ sku, tag, filter }: NodeFilterOptions): boolean =>
  [sku, tag, filter].some((one) => one !== undefined);

/** @throws CommandError if there is no such SKU */
export async function nodeFilter(
  client: Client,
  { sku, tag, filter }: NodeFilterOptions,
): Promise<Record<string, string>> {
  return {
    ...(sku !== undefined && { sku: await idOf(client, 'SKU', sku) }),
    ...(tag !== undefined && { tags: tag.join(',') }),
    ...filterQuery(filter),
  };
}
