/** `nw tickets`, `nw ticket`: a second person approves a plan before it is launched. */
import type { Command } from 'commander';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { onRecord } from '../id-of.ts';
import { count, jsonRecord } from '../option-values.ts';
import { isTable, type OutputFormat, showList, showRecord, type TableColumn, tableText } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { say } from '../terminal.ts';
import { showRequested } from '../ticket-request.ts';
import { wholeList } from '../whole-list.ts';

type Ticket = GetAnswer<'/tickets/:id'>;
type Subject = Ticket['subjects'][number];

interface ListFlags extends ConnectionOptions {
  status?: string;
  limit?: number;
}

interface ActionFlags extends ConnectionOptions {
  note?: string;
}

const columns: TableColumn<Ticket>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'graph', value: ({ graph }) => graph },
  { title: 'nodes', value: ({ subjects }) => String(subjects.length) },
  { title: 'status', value: ({ status }) => status },
  { title: 'asked by', value: ({ requestedBy }) => requestedBy },
  { title: 'approved by', value: ({ approvals }) => approvals.map(({ by }) => by).join(', ') || null },
  { title: 'expires', value: ({ expiresAt }) => shownTime(expiresAt) },
];

const subjectColumns: TableColumn<Subject>[] = [
  { title: 'node', value: ({ node }) => node },
  { title: 'name', value: ({ name }) => name },
  { title: 'drives', value: ({ drives }) => drives.map(({ name, serial }) => `${name} ${serial}`).join(', ') },
];

export function addTicketCommands(root: Command): void {
  connecting(root.command('tickets'))
    .description('lists tickets')
    .option('--status <status>', 'only these: requested, approved, rejected, withdrawn, used, expired')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const ticket = root.command('ticket').description('the approval of a plan by another user');
  connecting(ticket.command('request <request>'))
    .description(
      'asks for one: JSON, or its file, with launch: { name, node or nodes, options }, or rollout; prints its id',
    )
    .action(request);
  connecting(ticket.command('show <ticket>')).description('shows a ticket, its nodes and drives').action(show);
  const action = (command: 'approve' | 'reject' | 'withdraw', description: string) =>
    connecting(ticket.command(`${command} <ticket>`))
      .description(description)
      .option('--note <text>', 'the reason, which the ticket keeps')
      .action(acting(command));
  action('approve', 'approves a ticket that another user asked for');
  action('reject', 'rejects a ticket');
  action('withdraw', 'takes back a ticket that you asked for');
}

const list = ({ status, limit, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const filter = status === undefined ? {} : { status };
    const { body, total } = await wholeList((query) => client.get('/tickets', { query }), filter, limit);
    showList(body, columns, options.output, total);
  });

const show = (given: string, options: ConnectionOptions): Promise<void> =>
  onRecord('ticket', given, options, async (client, params) => {
    const { body } = await client.get('/tickets/:id', { params });
    showTicket(body, options.output);
  });

const request = (given: unknown, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.post('/tickets', { body: jsonRecord(String(given)) as never });
    showRequested(body, options.output);
  });

const acting =
  (command: 'approve' | 'reject' | 'withdraw') =>
  (given: string, { note, ...options }: ActionFlags): Promise<void> =>
    onRecord('ticket', given, options, async (client, params) => {
      const body = { command, ...(note !== undefined && { note }) };
      showTicket((await client.put('/tickets/:id/action', { params, body })).body, options.output);
    });

function showTicket(ticket: Ticket, format: OutputFormat): void {
  const { id, graph, status, requestedBy, needed, approvals, rejection, usedBy, createdAt, expiresAt, planHash } =
    ticket;
  const decisions = approvals.map(({ by, at, note }) => `${by} ${shownTime(at)}${note === null ? '' : `: ${note}`}`);
  showRecord(
    ticket,
    [
      ['id', id],
      ['graph', graph],
      ['status', status],
      ['asked by', requestedBy],
      ['asked', shownTime(createdAt)],
      ['approvals', `${approvals.length} of ${needed.approvals}`],
      ['approved by', decisions.join('; ')],
      ['rejected by', rejection && `${rejection.by}${rejection.note === null ? '' : `: ${rejection.note}`}`],
      ['used by', usedBy],
      ['expires', shownTime(expiresAt)],
      ['plan', planHash],
    ],
    format,
  );
  if (isTable(format)) say(tableText(ticket.subjects, subjectColumns, format === 'wide'));
}
