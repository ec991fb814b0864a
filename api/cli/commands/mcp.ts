/** `nw mcp`: the daemon as tools of an assistant, by the Model Context Protocol on stdin and stdout. */
import type { Command } from 'commander';
import { addressing, addressOf, type ConnectionOptions } from '../connection.ts';

interface McpFlags extends Omit<ConnectionOptions, 'output'> {
  launches?: boolean;
}

export function addMcpCommand(root: Command): void {
  addressing(root.command('mcp'))
    .description('serves an assistant on stdin and stdout, by the Model Context Protocol: reads, and starts nothing')
    .option('--launches', 'the assistant may also ask for tickets, and launch what another user has approved')
    .action((flags: McpFlags) => serve(flags, root.version() ?? ''));
}

async function serve({ launches = false, ...connection }: McpFlags, version: string): Promise<void> {
  const { serveAssistant } = await import('../mcp/serve-assistant.ts');
  await serveAssistant(addressOf(connection), { launches, version });
}
