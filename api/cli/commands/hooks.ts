/** `nw hooks`, `nw hook`: web hooks and their deliveries. */

import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import pLimit from 'p-limit';
import { objectIn } from '../../../engine/vocabulary/json.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { type HookHealth, readHookHealth } from '../../client/hook-health.ts';
import type { GetAnswer, ListQuery, PostBody } from '../../client/requests.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { beginningWith } from '../id-of.ts';
import { appendValue, count, jsonValue } from '../option-values.ts';
import { isTable, showAs, showList, type TableColumn } from '../output.ts';
import { askPassword } from '../prompts.ts';
import { shownTime } from '../shown-time.ts';
import { colors, inform, printableText, say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Hook = GetAnswer<'/hooks'>[number];
type Delivery = GetAnswer<'/hooks/:id/deliveries'>[number];

const FILTERS = ['type', 'action', 'status', 'severity', 'graph'] as const;

interface AddOptions extends ConnectionOptions, Partial<Record<(typeof FILTERS)[number], string>> {
  name?: string;
  filter?: string[];
  secretStdin?: boolean;
  trust?: string;
  insecure?: boolean;
  format?: PostBody<'/hooks'>['format'];
}

interface DeliveryOptions extends ConnectionOptions {
  state?: string;
  limit: number;
}

export function addHookCommands(root: Command): void {
  connecting(root.command('hooks'))
    .description('lists web hooks')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const hook = root.command('hook').description('one web hook, by id, url or name');
  addAddCommand(hook);
  connecting(hook.command('test <hook>'))
    .description('delivers a test event, and waits for the answer of the receiver')
    .action(testHook);
  connecting(hook.command('deliveries <hook>'))
    .description('lists deliveries, newest first')
    .option('--state <state>', 'waiting, delivered or failed')
    .option('--limit <number>', 'records', count, 20)
    .action(deliveries);
  connecting(hook.command('redeliver <hook> <delivery>'))
    .description('delivers an event again, and waits for the answer of the receiver')
    .action(redeliver);
  connecting(hook.command('remove <hook>')).description('deletes a hook and its deliveries').action(remove);
}

function addAddCommand(hook: Command): void {
  const add = connecting(hook.command('add <url>'))
    .description('sends events to the url: all, or those that the options select by regular expressions')
    .option('--name <name>', 'name');
  for (const name of FILTERS) add.option(`--${name} <expression>`, `only events with this ${name}`);
  add
    .option(
      '--filter <json>',
      'another filter, of which one must match, as JSON or @file; may be repeated',
      appendValue,
    )
    .addOption(
      new Option('--format <format>', 'a message for this receiver instead of the event').choices([
        'slack',
        'teams',
        'pagerduty',
        'mail',
      ]),
    )
    .option('--secret-stdin', 'reads the key of the signature, or the log-in of the format, from the standard input')
    .option('--trust <file>', 'certificate of the authority of the receiver, as PEM')
    .option('--insecure', 'accepts any certificate of the receiver')
    .action(addHook);
}

/** Hooks whose deliveries are read at a time. */
const HOOKS_AT_ONCE = 4;

type ListedHook = Hook & Pick<HookHealth, 'waiting' | 'error'>;

const columns: TableColumn<ListedHook>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'name', value: ({ name }) => name },
  { title: 'url', value: ({ url }) => url },
  { title: 'filters', value: ({ filters }) => (filters.length === 0 ? 'all' : JSON.stringify(filters)) },
  { title: 'waiting', value: ({ waiting }) => waiting },
  { title: 'last error', value: ({ error }) => error, paint: (text, { error }) => (error ? colors.red(text) : text) },
  { title: 'created', value: ({ createdAt }) => shownTime(createdAt), wide: true },
];

const list = ({ limit, ...options }: ConnectionOptions & { limit?: number }): Promise<void> =>
  withClient(options, async (client) => {
    const { body, total } = await wholeList((query) => client.get('/hooks', { query }), {}, limit);
    if (!isTable(options.output)) return showList(body, [], options.output, total);
    const parallel = pLimit(HOOKS_AT_ONCE);
    const hooks = body.map((hook) => parallel(async () => ({ ...hook, ...(await readHookHealth(client, hook.id)) })));
    return showList(await Promise.all(hooks), columns, options.output, total);
  });

/** @throws CommandError if there is none, or if several have the name */
async function hookOf(client: Client, identifier: string): Promise<Hook> {
  const look = (query: ListQuery) => client.get('/hooks', { query });
  for (const field of ['url', 'name']) {
    const [hook, other] = (await look({ [field]: identifier, $top: 2 })).body;
    if (other !== undefined) throw new CommandError(`several hooks are named ${identifier}; give the id`);
    if (hook !== undefined) return hook;
  }
  const hook = await beginningWith(look, identifier);
  if (hook !== undefined) return hook;
  throw new CommandError(`found no hook with the id, url or name ${identifier}; nw hooks lists them`);
}

const addHook = (url: string, options: AddOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { name, trust, insecure, format } = options;
    const secret = options.secretStdin === true ? await askPassword('Secret', true) : undefined;
    const body = {
      url,
      filters: filtersOf(options),
      ...(name !== undefined && { name }),
      ...(secret !== undefined && { secret }),
      ...(trust !== undefined && { ca: fileText(trust) }),
      ...(format !== undefined && { format }),
      ...(insecure === true && { rejectUnauthorized: false }),
    };
    const { body: hook } = await client.post('/hooks', { body });
    showAs(options.output, hook, () => say(hook.id));
  });

function filtersOf({ graph, type, action, status, severity, filter = [] }: AddOptions): Record<string, string>[] {
  const given = { type, action, status, severity, graphName: graph };
  const entries = Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  // The daemon validates them.
  const others = filter.map((text) => objectIn(jsonValue(text)) as Record<string, string>);
  return entries.length === 0 ? others : [Object.fromEntries(entries), ...others];
}

function fileText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file}: ${messageOf(error)}`, EXIT.usage);
  }
}

const deliveryColumns: TableColumn<Delivery>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'event', value: ({ type, action }) => `${type}.${action}` },
  { title: 'state', value: ({ state }) => state },
  { title: 'attempts', value: ({ attempts }) => attempts },
  { title: 'next', value: ({ nextAttemptAt }) => shownTime(nextAttemptAt) },
  { title: 'status', value: ({ status }) => status },
  { title: 'error', value: ({ error }) => error },
  { title: 'created', value: ({ createdAt }) => shownTime(createdAt) },
  { title: 'of', value: ({ typeId }) => typeId, wide: true },
  { title: 'event id', value: ({ eventId }) => eventId, wide: true },
];

const deliveries = (given: string, { state, limit, ...options }: DeliveryOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { id } = await hookOf(client, given);
    const { body, total } = await client.get('/hooks/:id/deliveries', {
      params: { id },
      query: { state, $top: limit },
    });
    showList(body, deliveryColumns, options.output, total);
  });

const testHook = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { id } = await hookOf(client, given);
    const { body } = await client.post('/hooks/:id/test', { params: { id } });
    await showAttempt(client, id, body, 0, options);
  });

const redeliver = (hook: string, given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { id } = await hookOf(client, hook);
    const look = (query: ListQuery) => client.get('/hooks/:id/deliveries', { params: { id }, query });
    const delivery = (await beginningWith(look, given, 'id'))?.id ?? given;
    const { body } = await client.post('/hooks/:id/deliveries/:delivery/redeliver', { params: { id, delivery } });
    // A waiting delivery may have been attempted before.
    await showAttempt(client, id, body, body.attempts, options);
  });

/** ms; a receiver has 10 s for its answer. */
const ATTEMPT_MS = 15_000;
const POLL_INTERVAL_MS = 200;

/** Waits for the next attempt of a delivery. @param before attempts so far */
async function showAttempt(
  client: Client,
  hook: string,
  { id }: Delivery,
  before: number,
  { output }: ConnectionOptions,
): Promise<void> {
  const readDelivery = async () =>
    (await client.get('/hooks/:id/deliveries', { params: { id: hook }, query: { id } })).body[0];
  let delivery = await readDelivery();
  const isOpen = () => delivery?.state === 'waiting' && delivery.attempts <= before;
  for (const until = Date.now() + ATTEMPT_MS; isOpen() && Date.now() < until; delivery = await readDelivery())
    await pause(POLL_INTERVAL_MS);
  if (delivery === undefined) throw new CommandError(`the delivery ${id} was removed`);
  const { state, status, error } = delivery;
  showAs(output, delivery, () => {
    const answer = status === null ? '' : `, status ${status}`;
    say(printableText(`${id}: ${state}${answer}${error === null ? '' : `, ${error}`}`));
  });
  if (state !== 'delivered') process.exitCode = EXIT.failed;
}

const remove = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { id, url } = await hookOf(client, given);
    await client.remove('/hooks/:id', { params: { id } });
    inform(printableText(`${url}: removed`));
  });
