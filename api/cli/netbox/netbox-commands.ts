/** The work of the commands of `nw netbox`. */
import { isObject } from '../../../engine/vocabulary/json.ts';
import { Client } from '../client.ts';
import { addressOf, type ConnectionOptions } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { jsonFile } from '../option-values.ts';
import { showList } from '../output.ts';
import { consoleOrigin } from '../remote-address.ts';
import { untilInterrupted } from '../remote-requests.ts';
import { inform, printableText } from '../terminal.ts';
import { type NetBoxOptions, netBoxAddressOf } from './netbox-address.ts';
import { NetBox, type NetBoxQuery } from './netbox-client.ts';
import type { NewObmBody, RackRelation } from './pull-steps.ts';
import { setupFields } from './setup-fields.ts';
import { dryPush, type PullRequest, type PushRequest, pull, push, type Sides } from './sync-netbox.ts';
import { type SyncRow, showSync } from './sync-report.ts';
import { watchNetBox } from './watch-netbox.ts';

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

export const netBoxCommands = {
  plan,
  pull: (flags: PullFlags): Promise<void> =>
    withSides(flags, async (sides) => conclude(await pull(sides, pullOf(flags)), flags)),
  push: (flags: PushFlags): Promise<void> =>
    withSides(flags, async (sides) => conclude(await push(sides, pushOf(flags)), flags)),
  watch,
  setup: (flags: PushFlags): Promise<void> => withSides(flags, (sides) => setup(sides, flags)),
};

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
