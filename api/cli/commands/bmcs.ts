/** `nw bmcs`, `nw bmc close-circuit`: the BMCs that the daemon sends commands to; `nw bmc record`. */
import type { Command } from 'commander';
import { oldCommands } from '../../../engine/vocabulary/until-0.2.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { count } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';
import { addBmcRecordCommand } from './bmc-record.ts';

type Bmc = GetAnswer<'/bmcs'>[number];

interface ListOptions extends ConnectionOptions {
  limit?: number;
}

export function addBmcCommands(root: Command): void {
  connecting(root.command('bmcs'))
    .description('lists the BMCs and PDUs that were sent commands lately')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const bmc = root.command('bmc').description('one BMC, by its address');
  connecting(bmc.command('close-circuit <host>').alias(oldCommands['close-circuit']))
    .description('closes the circuit of a BMC: the next command is sent immediately')
    .action(closeCircuit);
  addBmcRecordCommand(bmc);
}

type Port = Bmc['ports'][number] & Pick<Bmc, 'nodes'>;

/** A row for each port: of a host one may have an open circuit while another answers. */
const columns: TableColumn<Port>[] = [
  { title: 'address', value: ({ address }) => address },
  { title: 'nodes', value: ({ nodes }) => nodes.map(({ name }) => name).join(', ') || null },
  { title: 'retry at', value: ({ retryAt }) => shownTime(retryAt) },
  { title: 'running', value: ({ running }) => running },
  { title: 'waiting', value: ({ waiting }) => waiting },
  { title: 'failures', value: ({ failures }) => failures },
  { title: 'last answer', value: ({ lastAnswerAt }) => shownTime(lastAnswerAt) },
];

const list = ({ limit, ...options }: ListOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/bmcs', { query }), {}, limit);
    if (options.output === 'json' || options.output === 'jsonl') return showList(body, [], options.output, total);
    const ports = body.flatMap(({ nodes, ports }) => ports.map((port) => ({ ...port, nodes })));
    return showList(ports, columns, options.output);
  });

const closeCircuit = (host: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    await client.remove('/bmcs/:id/circuit', { params: { id: host } });
    inform(`The circuit of ${host} is closed.`);
  });
