/** `nw failures`, `nw failure`: failed workflows, grouped by their cause. */
import type { Command } from 'commander';
import type { FailureCommand } from '../../../engine/vocabulary/states.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { checkNames } from '../checked-names.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { beginningWith } from '../id-of.ts';
import { count, timeSpan } from '../option-values.ts';
import { showAs, showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform, printableText } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Failure = GetAnswer<'/failures'>[number];

interface ListFlags extends ConnectionOptions {
  since?: number;
  open?: boolean;
  stuck?: boolean;
  graph?: string;
  code?: string;
  limit: number;
}

const commonText = ({ common }: Failure): string =>
  common
    .slice(0, 3)
    .map(({ fact, value, of, failed, succeeded }) => `${fact} ${value} (${failed} of ${of}, else ${succeeded})`)
    .join('; ');

const columns: TableColumn<Failure>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'graph', value: ({ graph }) => graph },
  { title: 'task', value: ({ task }) => task },
  { title: 'code', value: ({ code }) => code },
  { title: 'count', value: (failure) => failure.count },
  { title: 'nodes', value: ({ nodes }) => nodes },
  { title: 'last', value: ({ lastAt }) => shownTime(lastAt) },
  { title: 'addressed', value: ({ addressed }) => addressed && (addressed.note ?? addressed.by ?? 'yes') },
  { title: 'in common', value: (failure) => commonText(failure) || null },
  { title: 'first', value: ({ firstAt }) => shownTime(firstAt), wide: true },
  { title: 'message', value: ({ message }) => message, wide: true },
];

export function addFailureCommands(root: Command): void {
  connecting(root.command('failures'))
    .description('lists failed workflows, grouped by their cause, and what those of a group have in common')
    .option('--since <time>', 'of this time, such as 24h; by default 7d', timeSpan)
    .option('--stuck', 'workflows that are stuck now, not failed ones')
    .option('--open', 'only those that are not addressed')
    .option('--graph <name>', 'only those of the graph')
    .option('--code <code>', 'only those with this code')
    .option('--limit <number>', 'records', count, 100)
    .action(list);
  const failure = root.command('failure').description('one failure, by the id in nw failures');
  const command = (name: FailureCommand, description: string) =>
    connecting(failure.command(`${name} <failure>`))
      .description(description)
      .option('--note <text>', 'what is known, or was done')
      .action((id: string, options: ConnectionOptions & { note?: string }) => act(name, id, options));
  command('address', 'says that it is taken care of, until another workflow fails so');
  command('reopen', 'says that it is not taken care of');
  command('retry', 'retries the newest of its workflows on each node');
}

const list = ({ since, open, stuck, graph, code, limit, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const query = {
      ...(since !== undefined && { since: new Date(Date.now() - since).toISOString() }),
      ...(open === true && { addressed: false }),
      ...(stuck === true && { stuck }),
      graph,
      code,
    };
    const { body, total } = await wholeList((page) => client.get('/failures', { query: page }), query, limit);
    if (body.length === 0) await checkNames(client, { graph });
    showList(body, columns, options.output, total);
  });

/** @returns what was given, if no failure of the last days begins so: an earlier one may be */
async function failureOf(client: Client, given: string): Promise<string> {
  const look = async () => {
    const { body } = await wholeList((query) => client.get('/failures', { query }));
    return { body: body.filter(({ id }) => id.startsWith(given)) };
  };
  return (await beginningWith(look, given))?.id ?? given;
}

const act = (
  command: FailureCommand,
  given: string,
  { note, ...options }: ConnectionOptions & { note?: string },
): Promise<void> =>
  withClient(options, async (client) => {
    const request = { command, ...(note !== undefined && { note }) };
    const params = { id: await failureOf(client, given) };
    const { body } = await client.put('/failures/:id/action', { params, body: request });
    showAs(options.output, body, () => inform(printableText(doneText(command, body))));
  });

const doneText = (command: FailureCommand, { code, graph, action }: Failure): string =>
  command === 'retry'
    ? `the workflows of ${graph} are retried; nw action show ${action} lists them`
    : `${code} of ${graph} is ${command === 'address' ? 'addressed' : 'open'}`;
