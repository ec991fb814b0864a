/** `nw bmcs`, `nw bmc wake`: the BMCs that the daemon sends commands to. */
import type { Command } from 'commander';
import type { Got } from '../../client/requests.ts';
import { type ConnectionOptions, connected, connecting } from '../connection.ts';
import { count } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Bmc = Got<'/bmcs'>[number];

interface ListOptions extends ConnectionOptions {
  limit?: number;
}

export function addBmcCommands(root: Command): void {
  connecting(root.command('bmcs'))
    .description('lists the BMCs that were sent commands lately')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const bmc = root.command('bmc').description('one BMC, by its address');
  connecting(bmc.command('wake <host>'))
    .description('ends the rest of a BMC: the next command is sent at once')
    .action(wake);
}

type Port = Bmc['ports'][number] & Pick<Bmc, 'nodes'>;

/** A row for each port: a host may have one that rests beside one that answers. */
const columns: TableColumn<Port>[] = [
  { title: 'address', value: ({ address }) => address },
  { title: 'nodes', value: ({ nodes }) => nodes.map(({ name }) => name).join(', ') || null },
  { title: 'rests until', value: ({ restsUntil }) => shownTime(restsUntil) },
  { title: 'running', value: ({ running }) => running },
  { title: 'waiting', value: ({ waiting }) => waiting },
  { title: 'failures', value: ({ failures }) => failures },
  { title: 'last answer', value: ({ lastAnswerAt }) => shownTime(lastAnswerAt) },
];

const list = ({ limit, ...options }: ListOptions): Promise<void> =>
  connected(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/bmcs', { query }), {}, limit);
    if (options.output === 'json' || options.output === 'jsonl') return showList(body, [], options.output, total);
    const ports = body.flatMap(({ nodes, ports }) => ports.map((port) => ({ ...port, nodes })));
    return showList(ports, columns, options.output);
  });

const wake = (host: string, options: ConnectionOptions): Promise<void> =>
  connected(options, async (client) => {
    await client.remove('/bmcs/:id/rest', { params: { id: host } });
    inform(`The rest of ${host} has ended.`);
  });
