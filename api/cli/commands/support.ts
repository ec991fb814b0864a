/** `nw support`: an archive about a problem, without secrets. */
import type { Command } from 'commander';
import { writeArchive } from '../archive-file.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { nodeOf } from '../node-of.ts';
import { inform, printableText, say } from '../terminal.ts';
import { latestWorkflow } from '../workflow-of.ts';

interface SupportFlags extends ConnectionOptions {
  workflow?: string;
  node?: string;
  file?: string;
}

export function addSupportCommand(root: Command): void {
  connecting(root.command('support'))
    .description('writes an archive without secrets for support: records, histories, events, log, metrics')
    .option('--workflow <workflow>', 'a workflow, by its id or its node')
    .option('--node <node>', 'a node: by id, MAC, identifier or name')
    .option('--file <file>', 'the archive; absent: nodewright-support-TIME.tar.gz')
    .action(support);
}

const support = ({ workflow, node, file, ...options }: SupportFlags): Promise<void> =>
  withClient(options, async (client) => {
    const query = {
      workflow: workflow === undefined ? undefined : (await latestWorkflow(client, workflow)).id,
      node: node === undefined ? undefined : (await nodeOf(client, node)).id,
    };
    const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
    const name = file ?? `nodewright-support-${time}.tar.gz`;
    await writeArchive(client, '/support', query, name);
    say(printableText(name));
    inform('Look through it before you pass it on: it has no secrets, but names, addresses and serial numbers.');
  });
