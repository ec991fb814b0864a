/** `nw nodes`, `nw node`. */
import { type Command, Option } from 'commander';
import { type HealthState, healthStates, heldWords, powerStates } from '../../../engine/vocabulary/states.ts';
import { modelText } from '../../client/hardware-texts.ts';
import { checkNames } from '../checked-names.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { idOf, skuNames } from '../id-of.ts';
import { type Node, nodeOf } from '../node-of.ts';
import { appendValue, count, jsonFile } from '../option-values.ts';
import { showList, showRecord, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';
import { filterOption, filterQuery } from '../workflow-selection.ts';
import { addBurnInCommand } from './burn-in-results.ts';
import { addNodeActions } from './node-actions.ts';
import { addCatalogsCommand } from './node-catalogs.ts';
import { addHardwareCommand } from './node-hardware.ts';
import { addHealthCommands } from './node-health.ts';

interface ListOptions extends ConnectionOptions {
  tag?: string;
  type?: string;
  sku?: string;
  owner?: string;
  health?: HealthState;
  held?: (typeof heldWords)[number];
  power?: (typeof powerStates)[number];
  model?: string;
  serial?: string;
  filter?: string[];
  busy?: boolean;
  free?: boolean;
  limit?: number;
}

export function addNodeCommands(root: Command): void {
  connecting(root.command('nodes'))
    .description('lists nodes')
    .option('-l, --tag <tag>', 'only nodes with the tag')
    .option('--type <type>', 'only nodes of the type, such as compute')
    .option('--sku <sku>', 'only nodes of the SKU, by name or id')
    .option('--owner <team>', 'only nodes of the team')
    .addOption(new Option('--health <state>', 'only nodes whose health is so').choices(healthStates))
    .addOption(new Option('--held <kind>', 'only nodes with a hold, without one, or with this kind').choices(heldWords))
    .option('--model <model>', 'only nodes of the model, as their catalogs name it')
    .option('--serial <number>', 'only the node with the serial number')
    .addOption(new Option('--power <state>', 'only nodes whose BMC last reported this').choices(powerStates))
    .option('--filter <key=value>', 'another filter of the list of nodes; may be repeated', filterOption)
    .option('--busy', 'only nodes that a workflow holds')
    .option('--free', 'only nodes that no workflow holds')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const node = root.command('node').description('one node, by id, MAC, identifier or name');
  addNodeActions(node);
  addHealthCommands(node);
  addHardwareCommand(node);
  addCatalogsCommand(node);
  addBurnInCommand(node);
  connecting(node.command('show <node>')).description('shows a node').action(show);
  connecting(node.command('add <name>'))
    .description('creates a node')
    .option('--type <type>', 'type', 'compute')
    .option('--mac <mac>', 'MAC, or another identifier; may be repeated', appendValue)
    .option('--tag <tag>', 'tag; may be repeated', appendValue)
    .option('--owner <team>', 'the team that it belongs to')
    .action(add);
  connecting(node.command('import <file>'))
    .description('creates the nodes of a JSON file, which has a list: all of them, or none')
    .action(importAll);
}

const columnsWith = (skus: ReadonlyMap<string | null, string>): TableColumn<Node>[] => [
  { title: 'id', value: ({ id }) => id },
  { title: 'name', value: ({ name }) => name },
  { title: 'type', value: ({ type }) => type },
  { title: 'sku', value: ({ sku }) => skus.get(sku) ?? sku },
  { title: 'health', value: ({ health }) => health },
  { title: 'workflow', value: ({ active }) => active?.name },
  { title: 'label', value: ({ active }) => active?.label },
  { title: 'since', value: ({ active }) => active && shownTime(active.since) },
  { title: 'tags', value: ({ tags }) => tags.join(', ') || null },
  { title: 'burn-in', value: ({ burnIn }) => burnIn, wide: true },
  { title: 'held', value: ({ held }) => held.join(', ') || null, wide: true },
  { title: 'power', value: ({ power }) => power?.state, wide: true },
  { title: 'model', value: (node) => modelText(node) || null, wide: true },
  { title: 'serial', value: ({ serial }) => serial, wide: true },
  { title: 'bmc', value: ({ bmcAddress }) => bmcAddress, wide: true },
  { title: 'identifiers', value: ({ identifiers }) => identifiers.join(', ') || null, wide: true },
  { title: 'owner', value: ({ owner }) => owner, wide: true },
  { title: 'obm', value: ({ obms }) => obms.map(({ service }) => service).join(', ') || null, wide: true },
  { title: 'created', value: ({ createdAt }) => shownTime(createdAt), wide: true },
];

const list = ({
  tag,
  type,
  sku,
  owner,
  health,
  held,
  power,
  model,
  serial,
  filter,
  busy,
  free,
  limit,
  ...options
}: ListOptions): Promise<void> =>
  withClient(options, async (client) => {
    const isBusy = busy === true ? true : free === true ? false : undefined;
    const skuId = sku === undefined ? undefined : await idOf(client, 'SKU', sku);
    const query = {
      tags: tag,
      type,
      sku: skuId,
      owner,
      health,
      held,
      power,
      model,
      serial,
      busy: isBusy,
      ...filterQuery(filter),
    };
    const { body, total } = await wholeList((page) => client.get('/nodes', { query: page }), query, limit);
    if (body.length === 0) await checkNames(client, { team: owner });
    const skus = body.some((node) => node.sku !== null) ? await skuNames(client) : new Map();
    showList(body, columnsWith(skus), options.output, total);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const node = await nodeOf(client, given);
    const { active } = node;
    const skus = node.sku === null ? new Map() : await skuNames(client);
    showRecord(
      node,
      [
        ['id', node.id],
        ['name', node.name],
        ['type', node.type],
        ['sku', node.sku && `${skus.get(node.sku) ?? '-'} (${node.sku})`],
        ['health', node.health],
        ['held', node.held],
        ['power', node.power && `${node.power.state}, seen ${shownTime(node.power.at)}`],
        ['model', modelText(node) || null],
        ['serial', node.serial],
        ['bmc', node.bmcAddress],
        ['identifiers', node.identifiers],
        ['tags', node.tags],
        ['owner', node.owner],
        ['obm', node.obms.map(({ service }) => service)],
        [
          'workflow',
          active && `${active.name} (${active.id}), at ${active.label ?? '-'}, launched ${shownTime(active.since)}`,
        ],
        ['error', node.error && `${node.error.message} (${node.error.code})`],
        ['created', shownTime(node.createdAt)],
        ['updated', shownTime(node.updatedAt)],
      ],
      options.output,
    );
  });

interface AddOptions extends ConnectionOptions {
  type: string;
  mac?: string[];
  tag?: string[];
  owner?: string;
}

const add = (name: string, { type, mac = [], tag = [], owner, ...options }: AddOptions): Promise<void> =>
  withClient(options, async (client) => {
    const body = {
      name,
      type: type as Node['type'],
      identifiers: mac,
      tags: tag,
      ...(owner !== undefined && { owner }),
    };
    const { body: created } = await client.post('/nodes', { body });
    const [node] = [created].flat() as [Node];
    if (options.output === 'table') say(node.id);
    else showRecord(node, [['id', node.id]], options.output);
  });

const importAll = (file: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.post('/nodes', { body: [jsonFile(file)].flat() as never });
    showList([body].flat(), columnsWith(new Map()), options.output);
  });
