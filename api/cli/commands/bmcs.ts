/** `nw bmcs`, `nw bmc wake`: the BMCs that the daemon sends commands to. */
import type { Command } from 'commander';
import type { Got } from '../../client/requests.ts';
import { type ConnectionOptions, connected, connecting } from '../connection.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform } from '../terminal.ts';

type Bmc = Got<'/bmcs'>[number];

export function addBmcCommands(root: Command): void {
  connecting(root.command('bmcs')).description('lists BMCs with commands or failures').action(list);
  const bmc = root.command('bmc').description('one BMC, by its address');
  connecting(bmc.command('wake <host>'))
    .description('ends the rest of a BMC: the next command is sent at once')
    .action(wake);
}

const columns: TableColumn<Bmc>[] = [
  { title: 'host', value: ({ host }) => host },
  { title: 'rests until', value: ({ restsUntil }) => shownTime(restsUntil) },
  { title: 'running', value: ({ running }) => running },
  { title: 'waiting', value: ({ waiting }) => waiting },
  { title: 'failures', value: ({ failures }) => failures },
  { title: 'last answer', value: ({ lastAnswerAt }) => shownTime(lastAnswerAt) },
];

const list = (options: ConnectionOptions): Promise<void> =>
  connected(options, async (client) => {
    const { body, total } = await client.get('/bmcs');
    showList(body, columns, options.output, total);
  });

const wake = (host: string, options: ConnectionOptions): Promise<void> =>
  connected(options, async (client) => {
    await client.remove('/bmcs/:id/rest', { params: { id: host } });
    inform(`The rest of ${host} has ended.`);
  });
