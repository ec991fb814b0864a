/** `nw graphs`, `nw graph`. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { MachineView } from '../../../engine/vocabulary/machine-shape.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { showFindings } from '../findings-text.ts';
import { jsonFile } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform, jsonText, printableText, say } from '../terminal.ts';
import { addGraphDiff } from './graph-diff.ts';
import { addGraphRelease } from './graph-release.ts';

export function addGraphCommands(root: Command): void {
  connecting(root.command('graphs'))
    .description('lists graphs')
    .option('--errors', 'lists the definitions that were rejected')
    .action(list);
  const graph = root.command('graph').description('one graph, by name');
  connecting(graph.command('show <graph>'))
    .description('shows a graph as it was put')
    .option('--hash <hash>', 'one of its versions')
    .action(show);
  connecting(graph.command('versions <graph>')).description('lists the versions of a graph').action(versions);
  addGraphDiff(graph);
  addGraphRelease(graph);
  connecting(graph.command('put <file>')).description('adds or replaces a graph, as JSON').action(put);
  connecting(graph.command('check <file>'))
    .description('says what a put would reject, and warnings; for files of a folder: nw check')
    .action(check);
  connecting(graph.command('draw <graph>'))
    .description('draws a graph of the daemon, or of a file')
    .option('--mermaid', 'as Mermaid text (default)')
    .option('--svg', 'as a picture')
    .option('--hash <hash>', 'one of its versions')
    .action(draw);
}

interface Definition {
  injectableName: string;
  friendlyName: string;
}

const columns: TableColumn<Definition>[] = [
  { title: 'name', value: ({ injectableName }) => injectableName },
  { title: 'description', value: ({ friendlyName }) => friendlyName },
];

interface RejectedDefinition {
  file: string;
  message: string;
  served: string | null;
}

const errorColumns: TableColumn<RejectedDefinition>[] = [
  { title: 'file', value: ({ file }) => file },
  { title: 'served', value: ({ served }) => served ?? 'nothing' },
  { title: 'error', value: ({ message }) => message },
];

const list = ({ errors, ...options }: ConnectionOptions & { errors?: boolean }): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/workflows/graphs', { query: { errors } });
    if (errors === true) showList(body as RejectedDefinition[], errorColumns, options.output);
    else showList(body as Definition[], columns, options.output);
    if (errors === true || options.output !== 'table') return;
    const rejected = await client.get('/workflows/graphs', { query: { errors: true } });
    if (rejected.body.length > 0) inform(rejectionHint(rejected.body as RejectedDefinition[]));
  });

function rejectionHint(rejected: readonly RejectedDefinition[]): string {
  const served = rejected.filter((one) => one.served !== null).length;
  const count = rejected.length === 1 ? '1 definition is rejected' : `${rejected.length} definitions are rejected`;
  const unserved = rejected.length - served;
  const fate =
    served === 0
      ? 'no version is served'
      : unserved === 0
        ? 'the last good version is served'
        : `the last good version of ${served} is served, and no version of ${unserved}`;
  return `${count}; ${fate}. nw graphs --errors shows why`;
}

const show = (name: string, { hash, ...options }: ConnectionOptions & { hash?: string }): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/workflows/graphs/:name', { params: { name }, query: { hash } });
    say(jsonText(body, options.output === 'jsonl' ? undefined : 2));
  });

const versions = (name: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/workflows/graphs/:name/versions', { params: { name } });
    showList(
      body,
      [
        { title: '', value: ({ isCurrent }) => (isCurrent ? '*' : ' ') },
        { title: 'hash', value: ({ hash }) => (options.output === 'wide' ? hash : hash.slice(0, 12)) },
        { title: 'first served', value: ({ createdAt }) => shownTime(createdAt) },
        { title: 'file', value: ({ file }) => file },
        { title: 'quarantined', value: ({ quarantine }) => quarantine && shownTime(quarantine.since) },
        { title: 'reason', value: ({ quarantine }) => quarantine?.reason ?? null, wide: true },
      ],
      options.output,
    );
  });

const check = (file: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.post('/workflows/graphs/check', { body: jsonFile(file) as never });
    showFindings([{ file, ...body }], options.output);
    if (!body.ok) throw new CommandError('The graph is rejected');
  });

interface DrawOptions extends ConnectionOptions {
  mermaid?: boolean;
  svg?: boolean;
  hash?: string;
}

async function draw(graph: string, { mermaid, svg, hash, ...options }: DrawOptions): Promise<void> {
  if (mermaid === true && svg === true) throw new CommandError('Expected --mermaid or --svg, not both', EXIT.usage);
  const view = (await viewOfFile(graph)) ?? (await viewOfName(graph, hash, options));
  if (svg === true) process.stdout.write(await (await import('../graph-svg.ts')).svgOf(view));
  else say((await import('../../../engine/assembly/authoring.ts')).graphDiagram(view));
}

/** @returns undefined: it is not a file */
async function viewOfFile(path: string): Promise<MachineView | undefined> {
  if (!existsSync(path)) return undefined;
  const { loadGraph, machineView } = await import('../../../engine/assembly/authoring.ts');
  return machineView(await loadGraph(path));
}

const viewOfName = (name: string, hash: string | undefined, options: ConnectionOptions): Promise<MachineView> =>
  withClient(
    options,
    async (client) => (await client.get('/workflows/graphs/:name/machine', { params: { name }, query: { hash } })).body,
  );

const put = (file: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body, warnings } = await client.put('/workflows/graphs', { body: jsonFile(file) as never });
    say(printableText(String(body.injectableName)));
    if (warnings !== undefined)
      inform(`Warnings: ${printableText(warnings)}. nw graph check ${printableText(file)} explains them.`);
  });
