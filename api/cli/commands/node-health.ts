/** `nw node health`, `nw node report`: how a node is, and what others say about it. */
import { Argument, type Command } from 'commander';
import { type HealthState, healthStates } from '../../../engine/vocabulary/states.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { nodeOf } from '../node-of.ts';
import { timeSpan } from '../option-values.ts';
import { showList, showRecord, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform } from '../terminal.ts';

type Health = GetAnswer<'/nodes/:identifier/health'>;

const columns: TableColumn<Health['reports'][number]>[] = [
  { title: 'source', value: ({ source }) => source },
  { title: 'state', value: ({ state }) => state },
  { title: 'at', value: ({ at }) => shownTime(at) },
  { title: 'until', value: ({ until }) => until && shownTime(until) },
  { title: 'message', value: ({ message }) => message },
];

interface ReportFlags extends ConnectionOptions {
  message?: string;
  for?: number;
}

/** @param node the command `nw node` */
export function addHealthCommands(node: Command): void {
  connecting(node.command('health <node>')).description('shows the health of a node').action(show);
  connecting(node.command('report <node> <source>'))
    .description('reports on the health of a node, as a source of your own')
    .addArgument(new Argument('<state>').choices(healthStates))
    .option('--message <text>', 'why')
    .option('--for <time>', 'how long the report counts, such as 2h; absent: until the next one', timeSpan)
    .action(report);
}

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { id, name } = await nodeOf(client, given);
    const { body } = await client.get('/nodes/:identifier/health', { params: { identifier: id } });
    const { output } = options;
    if (output === 'json') return showRecord(body, [], output);
    inform(`${name} is ${body.state} since ${shownTime(body.since)}`);
    showList(body.reports, columns, output);
  });

const report = (
  given: string,
  source: string,
  state: HealthState,
  { message, for: forMs, ...options }: ReportFlags,
): Promise<void> =>
  withClient(options, async (client) => {
    const { id, name } = await nodeOf(client, given);
    const ttlSec = forMs === undefined ? {} : { ttlSec: Math.ceil(forMs / 1_000) };
    const { body } = await client.put('/nodes/:identifier/health/:source', {
      params: { identifier: id, source },
      body: { state, ...(message !== undefined && { message }), ...ttlSec },
    });
    inform(`${name} is ${body.state}`);
  });
