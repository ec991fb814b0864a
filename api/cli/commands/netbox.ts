/** `nw netbox`: devices of NetBox as nodes, and the states of nodes in NetBox. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { connecting } from '../connection.ts';
import { addressingNetBox } from '../netbox/netbox-address.ts';
import type { netBoxCommands } from '../netbox/netbox-commands.ts';
import { DEFAULT_PREFIX } from '../netbox/push-values.ts';
import { appendFilter } from '../netbox/read-devices.ts';
import { timeSpan } from '../option-values.ts';

export function addNetBoxCommands(root: Command): void {
  const netbox = root.command('netbox').description('exchanges devices, places and states with NetBox');
  const both = (name: string) => addressingNetBox(connecting(netbox.command(name)));
  pushing(pulling(both('plan')))
    .description('shows what a pull and a push would change, and which devices are skipped and why; changes nothing')
    .action((flags) => runLoaded((run) => run.plan(flags)));
  pulling(both('pull'))
    .description('creates and changes nodes as NetBox has their devices')
    .action((flags) => runLoaded((run) => run.pull(flags)));
  pushing(both('push'))
    .description('writes state, health and last workflow of nodes into custom fields of their devices')
    .action((flags) => runLoaded((run) => run.push(flags)));
  pushing(pulling(both('watch')))
    .description('pushes whenever a workflow, a hold or the health of a node changes; with --filter it also pulls')
    .addOption(
      new Option('--pull-every <time>', 'the interval of pulls').argParser(timeSpan).default(timeSpan('15m'), '15m'),
    )
    .action((flags) => runLoaded((run) => run.watch(flags)));
  withPrefix(both('setup'))
    .description('creates the custom fields in NetBox')
    .action((flags) => runLoaded((run) => run.setup(flags)));
}

/** Only these commands load the code that talks to NetBox. */
const runLoaded = async (work: (run: typeof netBoxCommands) => Promise<void>): Promise<void> =>
  work((await import('../netbox/netbox-commands.ts')).netBoxCommands);

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
