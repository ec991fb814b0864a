/** `nw why`: why a workflow, or that of a node, does not go on. */
import type { Command } from 'commander';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connected, connecting } from '../connection.ts';
import { nodeNames } from '../node-names.ts';
import { showAs } from '../output.ts';
import { colors, printable, say } from '../terminal.ts';
import { ago, duration } from '../times.ts';
import { usualTime } from '../usual-time.ts';
import type { WhyAnswer } from '../watch/watched-workflow.ts';
import { latestWorkflow } from '../workflow-of.ts';

export function addWhyCommand(root: Command): void {
  connecting(root.command('why <workflow>'))
    .description('explains what a workflow, or that of a node, waits for, and what can be done')
    .action(why);
}

const why = (given: string, options: ConnectionOptions): Promise<void> =>
  connected(options, async (client) => {
    const { id, injectableName } = await latestWorkflow(client, given);
    const { body } = await client.get('/workflows/:id/why', { params: { id } });
    const lines =
      options.output === 'json' || options.output === 'jsonl' ? [] : await linesOf(client, id, injectableName, body);
    showAs(options.output, body, () => {
      for (const line of lines) say(line);
    });
  });

async function linesOf(client: Client, id: string, graph: string, answer: WhyAnswer): Promise<string[]> {
  const { node, holder, waits, bmc, agent, suggestions, status } = answer;
  const names = await nodeNames(client, [node]);
  const target = node === null ? '' : ` on ${names.get(node) ?? node}`;
  const lines = [line('workflow', `${graph}${target}, ${status}, ${id}`)];
  if (holder !== null && holder.workflow !== id) lines.push(line('held by', holderText(holder)));
  if (waits.length === 0) lines.push(line('waits', 'for nothing'));
  for (const wait of waits) lines.push(...waitLines(wait));
  if (bmc !== null) lines.push(line('bmc', bmcText(bmc)));
  if (agent !== null) lines.push(line('agent', `last seen ${ago(agent.lastSeenAt)} ago from ${agent.address}`));
  for (const suggestion of suggestions) lines.push(line('do', doText(suggestion, id)));
  return lines;
}

const NAME = 10;

const line = (name: string, text: string): string => `${colors.dim(name.padEnd(NAME))}${printable(text)}`;

function holderText({ workflow, graphName, launchedBy, since }: NonNullable<WhyAnswer['holder']>): string {
  return `${workflow} ${graphName}, by ${launchedBy ?? 'an unknown user'}, since ${ago(since)}`;
}

function waitLines({ label, detail, since, dueAt, then: consequence, usualMs }: WhyAnswer['waits'][number]): string[] {
  const waited = since === null ? '' : `, since ${ago(since)}`;
  const lines = [line('waits', `${label ?? 'the graph'}: ${detail}${waited}`)];
  if (dueAt !== null)
    lines.push(line('until', `${dueAt}${leftText(dueAt)}${consequence === null ? '' : `: ${consequence}`}`));
  if (usualMs !== null) lines.push(line('usually', usualTime(usualMs)));
  return lines;
}

function leftText(dueAt: string): string {
  const ms = Date.parse(dueAt) - Date.now();
  return ms > 0 ? ` (in ${duration(ms)})` : ' (past)';
}

function bmcText({ host, restsUntil, failures, lastAnswerAt }: NonNullable<WhyAnswer['bmc']>): string {
  const answer = lastAnswerAt === null ? 'has not answered yet' : `answered ${ago(lastAnswerAt)} ago`;
  const rest = restsUntil === null ? '' : `; it gets no command until ${restsUntil}, after ${failures} failures`;
  return `${host} ${answer}${rest}`;
}

/** Commands of `nw` that do what the suggestion says. */
const commands: Readonly<Record<string, string>> = {
  cancel: 'nw cancel',
  resume: 'nw resume',
  release: 'nw release',
};

function doText({ action, text, method, path }: WhyAnswer['suggestions'][number], id: string): string {
  const command = action === 'retry-now' && method === 'PUT' ? 'nw retry-now' : commands[action];
  if (command !== undefined) return `${text}: ${command} ${id}`;
  return path === undefined ? text : `${text}: ${method ?? 'GET'} ${path}`;
}
