/** `nw why`: why a workflow, or that of a node, does not continue. */
import type { Command } from 'commander';
import { isActive } from '../../../engine/vocabulary/states.ts';
import { usualTime } from '../../client/usual-time.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { endTexts } from '../ended-workflow.ts';
import { nodeNames } from '../node-names.ts';
import { showAs } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { colors, printableText, say } from '../terminal.ts';
import type { WhyAnswer } from '../watch/watched-workflow.ts';
import { whyOf } from '../why-of.ts';
import { newestOn, type Workflow } from '../workflow-of.ts';

export function addWhyCommand(root: Command): void {
  connecting(root.command('why <workflow>'))
    .description('explains what a workflow, or that of a node, waits for, and what can be done')
    .action(why);
}

const why = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { workflow, answer } = await whyOf(client, given);
    const isTable = options.output === 'table' || options.output === 'wide';
    const lines = isTable ? await linesOf(client, workflow, answer) : [];
    showAs(options.output, answer, () => {
      for (const text of lines) say(text);
    });
  });

/** @param workflow undefined: that of a node, if one holds it */
async function linesOf(client: Client, workflow: Workflow | undefined, answer: WhyAnswer): Promise<string[]> {
  const { node, holder, waits, bmc, agent, holds, rollouts, suggestions, status, capture } = answer;
  const names = await nodeNames(client, [node]);
  const target = node === null ? '' : ` on ${names.get(node) ?? node}`;
  const id = workflow?.id ?? holder?.workflow;
  const name = workflow?.injectableName ?? holder?.graphName;
  const lines = [line('workflow', id === undefined ? `none${target}` : `${name}${target}, ${status}, ${id}`)];
  if (holder !== null)
    lines.push(holder.workflow === id ? line('launched', launchText(holder)) : line('held by', holderText(holder)));
  if (waits.length === 0) lines.push(...(await endLines(client, workflow, answer)));
  for (const wait of waits) lines.push(...waitLines(wait, waits.length > 1 && wait.waitingOn === 'release'));
  if (bmc !== null) lines.push(line('bmc', bmcText(bmc)));
  if (agent !== null) lines.push(line('agent', `last seen ${shownTime(agent.lastSeenAt)} from ${agent.address}`));
  if (capture !== null) {
    const error = capture.error === null ? '' : `: ${capture.error}`;
    lines.push(line('console', capture.state + error));
    for (const { at, text } of answer.console ?? []) lines.push(line('', `${shownTime(at)}  ${text}`));
  }
  for (const { kind, reason, createdBy, until } of holds) {
    const end = until === null ? '' : `, until ${shownTime(until)}`;
    lines.push(line('hold', `${kind} by ${createdBy ?? 'an unknown user'}: ${reason}${end}`));
  }
  for (const { detail, id: rollout } of rollouts) lines.push(line('rollout', `${rollout} ${detail}`));
  for (const suggestion of suggestions) lines.push(line('do', doText(suggestion, id ?? '')));
  return lines;
}

/** The lines about a workflow that has ended; for a node that no workflow holds, about its last one. */
async function endLines(
  client: Client,
  workflow: Workflow | undefined,
  { node, holder }: WhyAnswer,
): Promise<string[]> {
  const isFree = workflow === undefined && node !== null && holder === null;
  const ended = isFree ? await newestOn(client, { id: node }) : workflow;
  if (ended === undefined || isActive(ended.status)) return [line('waits', 'for nothing')];
  const last = isFree ? [line('last', `${ended.injectableName}, ${ended.status}, ${ended.id}`)] : [];
  return [...last, ...(await endTexts(client, ended)).map(([name, text]) => line(name, text))];
}

const NAME_WIDTH = 10;

const line = (name: string, text: string): string => `${colors.dim(name.padEnd(NAME_WIDTH))}${printableText(text)}`;

type Holder = NonNullable<WhyAnswer['holder']>;

const holderText = (holder: Holder): string => `${holder.workflow} ${holder.graphName}, launched ${launchText(holder)}`;

const launchText = ({ launchedBy, since }: Holder): string =>
  `by ${launchedBy ?? 'an unknown user'}, ${shownTime(since)}`;

/** @param isShort of one that another task ends, beside others */
function waitLines(
  { label, detail, since, dueAt, then: consequence, usualMs }: WhyAnswer['waits'][number],
  isShort: boolean,
): string[] {
  if (isShort) return [line('also', `${label}: ${detail}`)];
  const begun = since === null ? '' : `; it began ${shownTime(since)}`;
  const lines = [line('waits', `${label ?? 'the graph'}: ${detail}${begun}`)];
  if (dueAt !== null) lines.push(line('due', `${shownTime(dueAt)}${consequence === null ? '' : `: ${consequence}`}`));
  if (usualMs !== null) lines.push(line('usually', usualTime(usualMs)));
  return lines;
}

function bmcText({ address, retryAt, failures, lastAnswerAt }: NonNullable<WhyAnswer['bmc']>): string {
  const answer = lastAnswerAt === null ? 'has not answered yet' : `answered ${shownTime(lastAnswerAt)}`;
  const next = retryAt === null ? '' : `; next command ${shownTime(retryAt)}, after ${failures} failures`;
  return `${address} ${answer}${next}`;
}

/** Commands of `nw` that do what the suggestion says. */
const commands: Readonly<Record<string, string>> = {
  cancel: 'nw cancel',
  resume: 'nw resume',
  release: 'nw release',
};

function labelOption(path = ''): string {
  const label = new URL(path, 'http://daemon').searchParams.get('label');
  return label === null ? '' : ` --label ${label}`;
}

function doText({ action, text, method, path }: WhyAnswer['suggestions'][number], id: string): string {
  const command = action === 'retry-now' && method === 'PUT' ? 'nw retry-now' : commands[action];
  if (command !== undefined) return `${text}: ${command} ${id}`;
  if (action === 'notify') return `${text}: nw notify ${id}${labelOption(path)}`;
  const [, host] = /^\/api\/current\/bmcs\/([^/]+)\/circuit$/.exec(path ?? '') ?? [];
  if (host !== undefined) return `${text}: nw bmc close-circuit ${decodeURIComponent(host)}`;
  const [, node] = /^\/api\/current\/nodes\/([^/]+)$/.exec(path ?? '') ?? [];
  if (action === 'check' && node !== undefined) return `${text}: nw node show ${node}`;
  return path === undefined ? text : `${text}: ${method ?? 'GET'} ${path}`;
}
