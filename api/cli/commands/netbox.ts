/** `nw netbox`: devices of NetBox as nodes, and the states of nodes in NetBox. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isObject } from '../../../engine/vocabulary/json.ts';
import { Client } from '../client.ts';
import { addressOf, type ConnectionOptions, connecting } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { addressingNetBox, type NetBoxOptions, netBoxAddressOf } from '../netbox/netbox-address.ts';
import { NetBox, type NetBoxQuery } from '../netbox/netbox-client.ts';
import type { NewObmBody, RackRelation } from '../netbox/pull-steps.ts';
import { DEFAULT_PREFIX } from '../netbox/push-values.ts';
import { appendFilter } from '../netbox/read-devices.ts';
import { setupFields } from '../netbox/setup-fields.ts';
import { dryPush, type PullRequest, type PushRequest, pull, push, type Sides } from '../netbox/sync-netbox.ts';
import { type SyncRow, showSync } from '../netbox/sync-report.ts';
import { watchNetBox } from '../netbox/watch-netbox.ts';
import { jsonFile, timeSpan } from '../option-values.ts';
import { showList } from '../output.ts';
import { consoleOrigin } from '../remote-address.ts';
import { untilInterrupted } from '../remote-requests.ts';
import { inform, printableText } from '../terminal.ts';

type SideOptions = ConnectionOptions & NetBoxOptions;

interface PullFlags extends SideOptions {
  filter?: NetBoxQuery;
  relation: RackRelation;
  owners?: boolean;
  obmFile?: string;
}

interface PushFlags extends SideOptions {
  prefix: string;
  console?: string;
  journal?: boolean;
}

interface WatchFlags extends PullFlags, PushFlags {
  pullEvery: number;
}

export function addNetBoxCommands(root: Command): void {
  const netbox = root.command('netbox').description('exchanges devices, places and states with NetBox');
  const both = (name: string) => addressingNetBox(connecting(netbox.command(name)));
  pushing(pulling(both('plan')))
    .description('shows what a pull and a push would change, and which devices are skipped and why; changes nothing')
    .action(plan);
  pulling(both('pull'))
    .description('creates and changes nodes as NetBox has their devices')
    .action((flags: PullFlags) => withSides(flags, async (sides) => conclude(await pull(sides, pullOf(flags)), flags)));
  pushing(both('push'))
    .description('writes state, health and last workflow of nodes into custom fields of their devices')
    .action((flags: PushFlags) => withSides(flags, async (sides) => conclude(await push(sides, pushOf(flags)), flags)));
  pushing(pulling(both('watch')))
    .description('pushes whenever a workflow, a hold or the health of a node changes; with --filter it also pulls')
    .addOption(
      new Option('--pull-every <time>', 'the interval of pulls').argParser(timeSpan).default(timeSpan('15m'), '15m'),
    )
    .action(watch);
  withPrefix(both('setup'))
    .description('creates the custom fields in NetBox')
    .action((flags: PushFlags) => withSides(flags, (sides) => setup(sides, flags)));
}

const pulling = (command: Command): Command =>
  command
    .option('--filter <name=value>', 'devices, such as site=fra1, role=server; may be repeated', appendFilter)
    .addOption(
      new Option('--relation <relation>', 'of a node to its rack')
        .choices(['containedBy', 'enclosedBy'])
        .default('containedBy'),
    )
    .option('--owners', 'the tenant of a device is the team that owns its node')
    .option('--obm-file <file>', 'JSON with { service, config }, for BMCs at the OOB addresses of the devices');

const pushing = (command: Command): Command =>
  withPrefix(command)
    .option('--console <url>', 'address of the console in links; by default that of the daemon')
    .option('--journal', 'writes a journal entry for each workflow that ended in the last day');

const withPrefix = (command: Command): Command =>
  command.option('--prefix <text>', 'of the names of the custom fields', prefixText, DEFAULT_PREFIX);

/** A name of a custom field has up to 50 letters, digits and single underscores. */
function prefixText(text: string): string {
  if (/^(?!.*__)[a-z0-9_]{1,30}$/i.test(text)) return text;
  throw new InvalidArgumentError('Expected up to 30 letters, digits and single underscores.');
}

async function plan(flags: PullFlags & PushFlags): Promise<void> {
  await withSides(flags, async (sides) => {
    const pulled = await pull(sides, pullOf(flags), true);
    showSync([...pulled, ...(await dryPush(sides, pushOf(flags)))], flags.output);
  });
}

function watch(flags: WatchFlags): Promise<void> {
  const pullRequest = flags.filter === undefined ? undefined : { ...pullOf(flags), everyMs: flags.pullEvery };
  const note = (text: string) => inform(printableText(text));
  return withSides(flags, async (sides) => {
    const isRepeated = repeatedSkips();
    const show = (rows: readonly SyncRow[]) => {
      const news = rows.filter((row) => row.action !== 'none' && !isRepeated(row));
      if (news.length > 0) showSync(news, flags.output === 'json' ? 'jsonl' : flags.output);
    };
    await watchNetBox(sides, { push: pushOf(flags), pull: pullRequest, show, note });
  });
}

/** @returns whether a row is a skip that was shown before, with the same reasons */
function repeatedSkips(): (row: SyncRow) => boolean {
  const reasons = new Map<number, string>();
  return ({ action, device, remarks }) => {
    if (device === null) return false;
    const before = reasons.get(device);
    if (action !== 'skip') reasons.delete(device);
    else reasons.set(device, remarks.join('; '));
    return action === 'skip' && before === remarks.join('; ');
  };
}

async function setup({ netBox }: Sides, { prefix, output }: PushFlags): Promise<void> {
  const results = await setupFields(netBox, prefix);
  showList(
    results,
    [
      { title: 'custom field', value: ({ name }) => name },
      { title: 'result', value: ({ result }) => result },
    ],
    output,
  );
}

function conclude(rows: readonly SyncRow[], { output }: SideOptions): void {
  const rejected = showSync(rows, output);
  if (rejected > 0) throw new CommandError(`${rejected} of ${rows.length} were rejected`);
}

/** Without a filter all devices, also patch panels and switches, would become nodes. */
function pullOf({ filter, relation, owners = false, obmFile }: PullFlags): PullRequest {
  if (filter === undefined)
    throw new CommandError('found no --filter; expected one, such as --filter role=server', EXIT.usage);
  return { filters: filter, relation, owners, obm: obmFile === undefined ? undefined : obmIn(obmFile) };
}

const services = ['ipmi-obm-service', 'redfish-obm-service'] as const;

function obmIn(file: string): NewObmBody {
  const content = jsonFile(file);
  const { service: name, config } = isObject(content) ? content : {};
  const service = services.find((one) => one === name);
  if (service === undefined || !isObject(config) || 'host' in config || 'uri' in config)
    throw new CommandError(
      `${file}: expected { "service": "${services.join('" or "')}", "config": { ... } } without host and uri`,
      EXIT.usage,
    );
  return { service, config };
}

function pushOf({ prefix, console: page, journal = false, ...connection }: PushFlags): PushRequest {
  return { prefix, origin: consoleOrigin(page ?? addressOf(connection).url), journal };
}

/** Runs work with both sides, until it ends or a signal ends it. */
async function withSides(options: SideOptions, work: (sides: Sides) => Promise<void>): Promise<void> {
  await untilInterrupted(async ({ signal }) => {
    const netBox = new NetBox(netBoxAddressOf(options), signal);
    const client = new Client(addressOf(options));
    try {
      await netBox.checkVersion();
      await work({ client, netBox, signal });
    } finally {
      await Promise.all([client.close(), netBox.close()]);
    }
  });
}
