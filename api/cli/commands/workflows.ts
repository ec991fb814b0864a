/** `nw ps`, and the actions on one workflow. */
import type { Command } from 'commander';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connected, connecting } from '../connection.ts';
import { count } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { colors, inform } from '../terminal.ts';
import { ago } from '../times.ts';

import type { Workflow } from '../workflow-of.ts';

export function addWorkflowCommands(root: Command): void {
  connecting(root.command('ps'))
    .description('lists workflows: those that are active, newest first')
    .option('-a, --all', 'also those that have ended')
    .option('--failed', 'those that failed')
    .option('--stuck', 'those that do not go on as usual')
    .option('--limit <number>', 'records', count, 100)
    .action(list);
  connecting(root.command('cancel <workflow>'))
    .description('cancels a workflow')
    .action((id: string, options: ConnectionOptions) => connected(options, (client) => act(client, id, 'cancel')));
}

interface ListOptions extends ConnectionOptions {
  all?: boolean;
  failed?: boolean;
  stuck?: boolean;
  limit: number;
}

const current = ({ tasks }: Workflow) => tasks.findLast(({ state }) => state === 'running' || state === 'waiting');

const columns: TableColumn<Workflow>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'graph', value: ({ injectableName }) => injectableName },
  { title: 'node', value: ({ node }) => node },
  { title: 'status', value: ({ status }) => status, paint: painted },
  { title: 'label', value: (workflow) => current(workflow)?.label },
  { title: 'waits for', value: (workflow) => current(workflow)?.waitingOn },
  { title: 'age', value: ({ createdAt }) => ago(createdAt) },
  { title: 'by', value: ({ launchedBy }) => launchedBy },
  { title: 'error', value: ({ error }) => error?.code },
  { title: 'due', value: ({ dueAt }) => dueAt, wide: true },
  { title: 'message', value: ({ error }) => error?.message, wide: true },
];

function painted(text: string): string {
  if (text === 'succeeded') return colors.green(text);
  return text === 'failed' ? colors.red(text) : text;
}

const list = ({ all, failed, stuck, limit, ...options }: ListOptions): Promise<void> =>
  connected(options, async (client) => {
    const status = failed === true ? 'failed' : all === true ? undefined : 'pending,running';
    const query = { status, stuck, $top: limit, sort: '-createdAt' };
    const { body, total } = await client.get('/workflows', { query });
    showList(body, columns, options.output, total);
  });

async function act(client: Client, id: string, command: 'cancel'): Promise<void> {
  const { body } = await client.put('/workflows/:id/action', { params: { id }, body: { command } });
  inform(`${(body as Workflow).injectableName} ${id}: ${(body as Workflow).status}`);
}
