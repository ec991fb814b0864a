/** `nw holds`, `nw hold`: reasons to leave nodes alone. */
import { type Command, Option } from 'commander';
import { type HoldBlock, type HoldKind, holdBlocks, holdKinds } from '../../../engine/vocabulary/states.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { idOf } from '../id-of.ts';
import { type NodeText, nodeTexts } from '../node-names.ts';
import { nodeOf } from '../node-of.ts';
import { timeSpan } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform, say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Hold = GetAnswer<'/holds'>[number];

const columnsWith = (nameOf: NodeText): TableColumn<Hold>[] => [
  { title: 'id', value: ({ id }) => id },
  { title: 'node', value: ({ node }) => nameOf(node) },
  { title: 'kind', value: ({ kind }) => kind },
  { title: 'blocks', value: ({ blocks }) => blocks.join(' ') },
  { title: 'until', value: ({ until }) => shownTime(until) },
  { title: 'by', value: ({ createdBy }) => createdBy },
  { title: 'reason', value: ({ reason }) => reason },
];

interface ListFlags extends ConnectionOptions {
  node?: string;
  kind?: HoldKind;
}

interface AddFlags extends ConnectionOptions {
  kind: HoldKind;
  reason: string;
  for?: number;
  until?: string;
  block?: HoldBlock[];
}

export function addHoldCommands(root: Command): void {
  connecting(root.command('holds'))
    .description('lists the holds of nodes')
    .option('--node <node>', 'of this node')
    .addOption(new Option('--kind <kind>', 'of this kind').choices(holdKinds))
    .action(list);
  const hold = root.command('hold').description('reasons to leave a node alone');
  connecting(hold.command('add <node>'))
    .description('adds a hold, and prints its id')
    .addOption(new Option('--kind <kind>', 'kind of the hold').choices(holdKinds).default('maintenance'))
    .requiredOption('--reason <text>', 'why')
    .option('--for <time>', 'how long it holds, such as 2h; absent: until it is removed', timeSpan)
    .option('--until <time>', 'when it ends, in ISO 8601')
    .addOption(new Option('--block <what...>', 'launch (default), power, poll, alert').choices(holdBlocks))
    .action(add);
  connecting(hold.command('remove <node> <hold>')).description('removes a hold').action(remove);
}

const list = ({ node, kind, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const id = node === undefined ? undefined : (await nodeOf(client, node)).id;
    const { body, total } = await wholeList((query) => client.get('/holds', { query: { ...query, node: id, kind } }));
    const nameOf = await nodeTexts(
      client,
      body.map((one) => one.node),
      options.output,
    );
    showList(body, columnsWith(nameOf), options.output, total);
  });

const add = (given: string, { kind, reason, for: forMs, until, block, ...options }: AddFlags): Promise<void> =>
  withClient(options, async (client) => {
    const { id, name } = await nodeOf(client, given);
    const end = forMs === undefined ? until : new Date(Date.now() + forMs).toISOString();
    const { body } = await client.post('/nodes/:identifier/holds', {
      params: { identifier: id },
      body: { kind, reason, ...(end !== undefined && { until: end }), ...(block && { blocks: block }) },
    });
    say(body.id);
    inform(`${name} is held${body.until === null ? '' : ` until ${shownTime(body.until)}`}`);
  });

const remove = (given: string, hold: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { id } = await nodeOf(client, given);
    const params = { identifier: id, hold: await idOf(client, 'hold', hold) };
    await client.remove('/nodes/:identifier/holds/:hold', { params });
  });
