/** `nw node tag|untag|power|discover|remove`: changes of one node. */
import { Argument, type Command } from 'commander';
import { type PowerSwitch, powerGraphs } from '../../client/power-graphs.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting } from '../connection.ts';
import { type Node, onNode } from '../node-of.ts';
import { showAs } from '../output.ts';
import { confirmName } from '../prompts.ts';
import { inform, say } from '../terminal.ts';
import { addNodeAccess } from './node-access.ts';

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
  addNodeAccess(node);
}

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
