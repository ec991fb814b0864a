/** `nw node tag|untag|obm|power|discover|remove`: changes of one node. */
import { Argument, type Command } from 'commander';
import { obmServices } from '../../../engine/define/node.ts';
import { type PowerSwitch, powerGraphs } from '../../client/power-graphs.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { type Node, nodeOf } from '../node-of.ts';
import { jsonFile } from '../option-values.ts';
import { showAs, showList } from '../output.ts';
import { askPassword, confirmName } from '../prompts.ts';
import { inform, say } from '../terminal.ts';

interface ConfirmOptions extends ConnectionOptions {
  yes?: boolean;
}

const YES = ['-y, --yes', 'does not ask'] as const;

/** @param node the command `nw node` */
export function addNodeActions(node: Command): void {
  connecting(node.command('tag <node> <tag...>')).description('adds tags').action(tag);
  connecting(node.command('untag <node> <tag>')).description('removes a tag').action(untag);
  connecting(node.command('power <node>'))
    .description('switches a node, by a workflow; without an action asks its BMC for its state')
    .addArgument(new Argument('[action]').choices(Object.keys(powerGraphs)))
    .option(...YES)
    .action(power);
  connecting(node.command('discover <node>'))
    .description('discovers a node again, by a workflow: it boots, and its catalogs are read')
    .option('--graph <name>', 'discovery graph', 'Graph.SKU.Discovery')
    .option(...YES)
    .action(discover);
  connecting(node.command('remove <node>'))
    .description('deletes a node')
    .option(...YES)
    .action(remove);
  const obm = node.command('obm').description('the out-of-band management of a node');
  connecting(obm.command('list <node>', { isDefault: true }))
    .description('lists the obms of a node')
    .action(listObms);
  connecting(obm.command('set <node>'))
    .description('sets the obm of a node for one service; asks for the password')
    .option('--service <service>', `one of ${obmServices.join(', ')}; of a PDU by --config`, 'ipmi-obm-service')
    .option('--host <host>', 'address of the BMC')
    .option('--user <name>', 'user of the BMC')
    .option('--password-stdin', 'reads the password from the standard input')
    .option('--config <file>', 'JSON with all of its configuration, instead of these options')
    .action(setObm);
}

const onNode = (given: string, options: ConnectionOptions, work: (client: Client, node: Node) => Promise<void>) =>
  withClient(options, async (client) => work(client, await nodeOf(client, given)));

const tag = (given: string, tags: string[], options: ConnectionOptions): Promise<void> =>
  onNode(given, options, async (client, { id }) => {
    const { body } = await client.patch('/nodes/:identifier/tags', { params: { identifier: id }, body: { tags } });
    say(body.join(' '));
  });

const untag = (given: string, name: string, options: ConnectionOptions): Promise<void> =>
  onNode(given, options, (client, { id }) =>
    client.remove('/nodes/:identifier/tags/:tag', { params: { identifier: id, tag: name } }),
  );

const power = (
  given: string,
  action: PowerSwitch | undefined,
  { yes = false, ...options }: ConfirmOptions,
): Promise<void> =>
  onNode(given, options, async (client, node) => {
    if (action === undefined) {
      const { body } = await client.get('/nodes/:identifier/power', { params: { identifier: node.id } });
      return showAs(options.output, body, () => say(body.state));
    }
    const plan: { graph: string; warning?: string } = powerGraphs[action];
    if (plan.warning !== undefined) await confirmName(`${node.name} (${node.id}) is ${plan.warning}.`, node.name, yes);
    await launch(client, node, plan.graph);
  });

const discover = (
  given: string,
  { graph, yes = false, ...options }: ConfirmOptions & { graph: string },
): Promise<void> =>
  onNode(given, options, async (client, node) => {
    await confirmName(`${node.name} (${node.id}) is booted from the network.`, node.name, yes);
    await launch(client, node, graph);
  });

async function launch(client: Client, { id, name }: Node, graph: string): Promise<void> {
  const { body } = await client.post('/nodes/:identifier/workflows', {
    params: { identifier: id },
    query: { name: graph },
  });
  say(body.id);
  inform(`${graph} is started on ${name}; nw watch ${body.id} follows it`);
}

const remove = (given: string, { yes = false, ...options }: ConfirmOptions): Promise<void> =>
  onNode(given, options, async (client, { id, name }) => {
    await confirmName(`${name} (${id}) is deleted, with its catalogs and obms.`, name, yes);
    await client.remove('/nodes/:identifier', { params: { identifier: id } });
  });

const listObms = (given: string, options: ConnectionOptions): Promise<void> =>
  onNode(given, options, async (client, { id }) => {
    const { body } = await client.get('/nodes/:identifier/obm', { params: { identifier: id } });
    showList(
      body,
      [
        { title: 'id', value: (one) => one.id },
        { title: 'service', value: ({ service }) => service },
        { title: 'host', value: ({ config }) => String(config.host ?? config.uri ?? '-') },
        { title: 'user', value: ({ config }) => String(config.user ?? config.username ?? '-') },
      ],
      options.output,
    );
  });

interface ObmFlags extends ConnectionOptions {
  service: string;
  host?: string;
  user?: string;
  passwordStdin?: boolean;
  config?: string;
}

const setObm = (given: string, { service, host, user, passwordStdin, config, ...options }: ObmFlags): Promise<void> =>
  onNode(given, options, async (client, { id, name }) => {
    const needsNoPassword = config !== undefined || service === 'noop-obm-service';
    const password = needsNoPassword
      ? undefined
      : await askPassword(`Password of the BMC of ${name}`, passwordStdin === true);
    const settings = config === undefined ? { host, user, password } : jsonFile(config);
    const body = { service, config: settings } as never;
    await client.put('/nodes/:identifier/obm', { params: { identifier: id }, body });
    inform(`The obm ${service} of ${name} is set.`);
  });
