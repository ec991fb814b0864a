/** `nw events`: the log of events, and the same as it grows. */
import { once } from 'node:events';
import type { Command } from 'commander';
import { followEvents, type LogEvent } from '../../client/follow-events.ts';
import type { ApiAnswer, ListQuery, RequestParts } from '../../client/requests.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { beginningWith } from '../id-of.ts';
import { nodeOf } from '../node-of.ts';
import { count, position } from '../option-values.ts';
import { type OutputFormat, showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform, isTerminal, jsonText, printableText } from '../terminal.ts';
import { withInterrupt } from '../watch/watch-to-end.ts';

interface EventOptions extends ConnectionOptions {
  follow?: boolean;
  after?: number;
  limit: number;
  type?: string;
  action?: string;
  typeId?: string;
  node?: string;
  status?: string;
  severity?: string;
}

export function addEventCommand(root: Command): void {
  connecting(root.command('events'))
    .description('lists events, oldest first; in a pipe as lines of JSON')
    .option('-f, --follow', 'follows the events from now on, or after --after, through restarts of the daemon')
    .option('--after <seq>', 'only events after this position', position)
    .option('--limit <number>', 'events; without -f', count, 100)
    .option('--type <type>', 'such as graph, node; several with commas, as in each of these options')
    .option('--action <action>', 'such as started, finished')
    .option('--type-id <id>', 'of a workflow, rollout or schedule: its id, the beginning of it, or its name')
    .option('--node <node>', 'of the node: by id, MAC, identifier or name')
    .option('--status <status>', 'of workflows: such as failed')
    .option('--severity <severity>', 'critical, warning or information')
    .action((options: EventOptions, command: Command) =>
      events({ ...options, output: formatOf(options.output, command) }),
    );
}

/** In a pipe lines of JSON, unless a form was asked for. */
const formatOf = (output: OutputFormat, command: Command): OutputFormat =>
  isTerminal || command.getOptionValueSource('output') === 'cli' ? output : 'jsonl';

const columns: TableColumn<LogEvent>[] = [
  { title: 'seq', value: ({ seq }) => seq },
  { title: 'at', value: ({ createdAt }) => shownTime(createdAt) },
  { title: 'event', value: ({ type, action }) => `${type}.${action}` },
  { title: 'severity', value: ({ severity }) => severity },
  { title: 'node', value: ({ nodeId }) => nodeId },
  { title: 'of', value: ({ typeId }) => typeId },
  { title: 'status', value: statusOf },
];

function statusOf({ data: { status, graphName, injectableName } }: LogEvent): string | null {
  const texts = [injectableName ?? graphName, status].filter((text) => typeof text === 'string');
  return texts.join(' ') || null;
}

const events = (options: EventOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { type, action, status, severity, node } = options;
    const subjects = options.typeId?.split(',').map((given) => subjectOf(client, given));
    const typeId = subjects && (await Promise.all(subjects)).join(',');
    const nodeId = node === undefined ? undefined : (await nodeOf(client, node)).id;
    const filters = { type, action, typeId, nodeId, status, severity };
    return options.follow === true ? follow(client, filters, options) : list(client, filters, options);
  });

const ID_LENGTH = 36;
const subjectLists = ['/workflows', '/nodes', '/rollouts', '/schedules', '/tickets'] as const;
const namedSubjects = ['/nodes', '/rollouts', '/schedules'] as const;

/** Returns the id of what events are about; a whole id as it is, because removed records have events too. */
async function subjectOf(client: Client, given: string): Promise<string> {
  if (given.length === ID_LENGTH) return given;
  for (const path of subjectLists) {
    const look = (query: ListQuery): Promise<{ body: { id: string }[] }> => client.get(path, { query });
    const match = await beginningWith(look, given, 'id');
    if (match !== undefined) return match.id;
  }
  for (const path of namedSubjects) {
    const [record] = (await client.get(path, { query: { name: given, fields: 'id', $top: 1 } })).body as {
      id: string;
    }[];
    if (record !== undefined) return record.id;
  }
  // A heartbeat is about a host.
  if (given.includes('.')) return given;
  throw new CommandError(
    `found no record with the id or name ${printableText(given)}; a removed one needs its whole id`,
  );
}

/** Events that one request reads. */
const EVENTS_PER_REQUEST = 1_000;

type Filters = NonNullable<RequestParts['query']>;

async function list(client: Client, filters: Filters, { after, limit, output }: EventOptions): Promise<void> {
  const logEvents: LogEvent[] = [];
  let next: string | number | undefined = after;
  let hasMore = true;
  while (hasMore && logEvents.length < limit) {
    const query: Filters = { ...filters, after: next, limit: Math.min(EVENTS_PER_REQUEST, limit - logEvents.length) };
    const answer: ApiAnswer<LogEvent[]> = await client.get('/events', { query });
    logEvents.push(...answer.body);
    next = answer.next?.after;
    hasMore = next !== undefined;
  }
  showList(logEvents, columns, output);
  if (hasMore) inform(`--after ${next} continues; --limit shows more`);
}

async function follow(client: Client, query: Filters, { after, output }: EventOptions): Promise<void> {
  if (output === 'json')
    throw new CommandError('found -o json with -f; expected jsonl, as there is no end', EXIT.usage);
  const { isInterrupted } = await withInterrupt(undefined, async (signal) => {
    let isAway = false;
    for await (const followed of followEvents(client, { query, after, signal })) {
      if (followed.kind === 'event') await write(followed.event, output);
      if (followed.kind === 'gap') inform(`events before ${followed.oldest} were removed before they could be read`);
      if (followed.kind === 'away' && !isAway) inform(`no connection, tries again: ${printableText(followed.reason)}`);
      if (followed.kind === 'connected' && isAway) inform('connected again');
      if (followed.kind !== 'gap') isAway = followed.kind === 'away';
    }
  });
  if (isInterrupted) process.exitCode = EXIT.interrupted;
}

/** Waits for a reader that is slower than the events. */
async function write(event: LogEvent, output: OutputFormat): Promise<void> {
  const text = output === 'jsonl' ? jsonText(event) : lineOf(event);
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
}

/** It stays on the terminal, where a relative time would become wrong. */
const lineOf = (event: LogEvent): string =>
  columns
    .map(({ title, value }) => printableText(String((title === 'at' ? event.createdAt : value(event)) ?? '-')))
    .join('  ');
