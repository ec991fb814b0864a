/** `nw skus`, `nw sku`: kinds of nodes, and why a node is of one. */

import type { Command } from 'commander';
import type { GetAnswer } from '../../client/requests.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError } from '../exit-codes.ts';
import { onRecord } from '../id-of.ts';
import { nodeOf } from '../node-of.ts';
import { jsonFile } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { colors, printableText, say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Sku = GetAnswer<'/skus/:id'>;

export function addSkuCommands(root: Command): void {
  connecting(root.command('skus')).description('lists SKUs').action(list);
  connecting(root.command('packs')).description('lists SKUs that have a pack').action(listPacks);
  const sku = root.command('sku').description('kinds of nodes, by rules on their catalogs');
  connecting(sku.command('show <sku>')).description('shows a SKU, by name or id').action(show);
  connecting(sku.command('explain <node>'))
    .description('explains which SKUs a node matches, rule by rule')
    .action(explain);
  connecting(sku.command('what-if <rules>'))
    .description('lists the nodes that rules in a JSON file match, and what they are now; nothing is changed')
    .action(whatIf);
}

const columns: TableColumn<Sku>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'name', value: ({ name }) => name },
  { title: 'rules', value: ({ rules }) => rules.length },
  { title: 'discovery graph', value: ({ discoveryGraphName }) => discoveryGraphName },
  { title: 'pack', value: ({ packInfo }) => packInfo && (packInfo.version ?? packInfo.sha256.slice(0, 12)) },
];

const packColumns: TableColumn<Sku>[] = [
  { title: 'sku', value: ({ name }) => name },
  { title: 'version', value: ({ packInfo }) => packInfo?.version },
  { title: 'description', value: ({ packInfo }) => packInfo?.description },
  { title: 'bytes', value: ({ packInfo }) => packInfo?.size },
  { title: 'sha256', value: ({ packInfo }) => packInfo?.sha256.slice(0, 12) },
];

const list = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/skus', { query }));
    showList(body, columns, options.output, total);
  });

const listPacks = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/skus');
    const packed = body.filter(({ packInfo }) => packInfo !== undefined);
    showList(packed, packColumns, options.output);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('SKU', given, options, async (client, params) => {
    const { body } = await client.get('/skus/:id', { params });
    say(JSON.stringify(body, null, options.output === 'jsonl' ? 0 : 2));
  });

const yesOrNo = (passed: boolean): string => (passed ? colors.green('yes') : colors.red('no'));

const explain = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const node = await nodeOf(client, given);
    const { body } = await client.post('/skus/match', { body: { nodeId: node.id } });
    if (!('skus' in body)) throw new CommandError('The daemon gave no explanation by SKU');
    if (options.output === 'json' || options.output === 'jsonl') return say(JSON.stringify(body));
    const nodeSku = body.skus.find(({ id }) => id === body.sku);
    say(`${printableText(node.name)} is ${nodeSku === undefined ? 'of no SKU' : printableText(nodeSku.name)}`);
    for (const { name, matched, rules } of body.skus) {
      say(`${yesOrNo(matched)}  ${printableText(name)}`);
      for (const { path, operator, expected, exists, value, passed } of rules) {
        const valueText = exists ? JSON.stringify(value) : 'nothing';
        const wanted = operator === null ? 'exists' : `${operator} ${JSON.stringify(expected)}`;
        say(`     ${yesOrNo(passed)}  ${printableText(`${path} ${wanted}; found ${valueText}`)}`);
      }
    }
    return undefined;
  });

interface Matching {
  id: string;
  name: string | null;
  sku: string | null;
}

const NODES_SHOWN = 100;

const whatIf = (file: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const given = jsonFile(file);
    const rules = Array.isArray(given) ? given : (given as { rules?: unknown } | null)?.rules;
    const matching = await matchingAll(client, rules);
    const ids = matching.slice(0, NODES_SHOWN);
    const nodes = ids.length === 0 ? [] : (await client.get('/nodes', { query: { id: ids.join(',') } })).body;
    const skus = new Map((await client.get('/skus')).body.map(({ id, name }) => [id, name]));
    const matchings: Matching[] = nodes.map(({ id, name, sku }) => ({ id, name, sku: sku && (skus.get(sku) ?? sku) }));
    showList(
      matchings,
      [
        { title: 'node', value: ({ id }) => id },
        { title: 'name', value: ({ name }) => name },
        { title: 'sku now', value: ({ sku }) => sku },
      ],
      options.output,
      matching.length,
    );
  });

/** Number of nodes that one page covers; it shows those that match. */
const NODES_MATCHED = 1_000;

async function matchingAll(client: Client, rules: unknown): Promise<string[]> {
  const ids: string[] = [];
  for (let $skip = 0, all = 1; $skip < all; $skip += NODES_MATCHED) {
    const query = { $skip, $top: NODES_MATCHED };
    const { body, total = 0 } = await client.post('/skus/match', { query, body: { rules } as never });
    if (!('nodes' in body)) throw new CommandError('The daemon gave no list of nodes');
    ids.push(...body.nodes);
    all = total;
  }
  return ids;
}
