/**
 * A rollout as commands take it: a graph, with options that say on which nodes, how many at a time, and when; or the whole
 * rollout as JSON, or its file. Beside JSON the options replace what it says.
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { RolloutBody } from '../../engine/api-port/index.ts';
import { type JsonObject, objectIn } from '../../engine/vocabulary/json.ts';
import { type TaskOption, taskOptionsOf } from '../client/launch-options.ts';
import type { Client } from './client.ts';
import { setOption } from './connection.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { idOf } from './id-of.ts';
import { nodesCalled } from './node-of.ts';
import { appendValue, count, isRecordText, jsonRecord, position } from './option-values.ts';
import { filteringNodes, hasNodeFilter, type NodeFilterOptions, nodeFilter } from './selected-nodes.ts';

/** How many targets at a time, in which order, and when. */
export interface PaceFlags {
  name?: string;
  seed?: number;
  phase?: string[];
  order?: string;
  running?: number;
  per?: Record<string, number>;
  maxFailed?: object;
  window?: string;
  ticket?: string;
}

export interface RolloutFlags extends PaceFlags, NodeFilterOptions {
  set?: TaskOption[];
  sample?: number;
}

/** Adds the options of `PaceFlags` to a command. */
export const pacing = (command: Command): Command =>
  command
    .option('--phase <size>', 'a phase, in their order: 5, 10% or rest; with :manual it ends with a pause', appendValue)
    .option(
      '--order <relation>',
      'nodes that share one in the relation follow each other, such as enclosedBy; or random',
    )
    .option('--running <number>', 'targets at a time', count)
    .option('--per <relation=number>', 'of those that share a node in the relation, such as poweredBy=1', perRelation)
    .option('--max-failed <number>', 'pauses after this many failures, or this percentage, such as 5%', failureGate)
    .option('--window <window>', 'begins targets only while the window is open, by its name or id')
    .option('--ticket <ticket>', 'the ticket for its targets')
    .option('--seed <number>', 'of the sample and the order: the same seed, the same plan', position);

const GRAPH = 'by name; or the whole rollout as JSON, or its file, whose parts the options replace';

/** Adds the rollout to a command, and all options that describe it. */
export const describingRollout = (command: Command, graph = GRAPH): Command =>
  pacing(
    filteringNodes(
      command.argument('<graph>', graph).argument('[nodes...]', 'its targets: by id, MAC, identifier or name'),
    )
      .option('--sample <percent>', 'only this part of the nodes, such as 20%', percentage)
      .addOption(setOption()),
  );

/** @returns a body that the daemon checks @throws CommandError without nodes, or with a node, SKU or window that does not exist */
export async function rolloutOf(
  client: Client,
  given: string,
  nodes: readonly string[],
  flags: RolloutFlags,
): Promise<RolloutBody> {
  const begun = isRecordText(given) ? jsonRecord(given) : { graph: given };
  const body = {
    ...begun,
    ...entriesOf({ options: flags.set && taskOptionsOf(flags.set) }),
    ...(await pacePartOf(client, flags)),
    targets: await targetsOf(client, nodes, flags, objectIn(begun).targets),
  };
  return body as RolloutBody;
}

/** The part of a rollout that the options of `pacing` give. */
export async function pacePartOf(client: Client, flags: PaceFlags): Promise<Partial<RolloutBody>> {
  const { name, seed, phase, order, running, per, maxFailed, window, ticket } = flags;
  const limits = entriesOf({ running, per });
  return entriesOf({
    name,
    seed,
    phases: phase?.map(phaseOf),
    order: order && { by: order },
    limits: Object.keys(limits).length > 0 ? limits : undefined,
    gates: maxFailed && [maxFailed],
    window: window && (await idOf(client, 'window', window)),
    ticket: ticket && (await idOf(client, 'ticket', ticket)),
  });
}

/** @param before those of the rollout as JSON */
async function targetsOf(client: Client, names: readonly string[], flags: RolloutFlags, before: unknown) {
  const { sample } = flags;
  const hasFilter = hasNodeFilter(flags);
  if (hasFilter && names.length > 0)
    throw new CommandError('found --sku, --tag or --filter beside nodes; expected one of them', EXIT.usage);
  if (!hasFilter && names.length === 0 && before === undefined)
    throw new CommandError('found no nodes; expected nodes, --sku, --tag or --filter', EXIT.usage);
  const { sample: sampleBefore, nodes, filter, ...others } = objectIn(before);
  const chosen = hasFilter
    ? { filter: await nodeFilter(client, flags) }
    : names.length > 0
      ? { nodes: (await nodesCalled(client, names)).map(({ id }) => id) }
      : { nodes, filter };
  return entriesOf({ ...others, ...chosen, sample: sample === undefined ? sampleBefore : { percent: sample } });
}

const entriesOf = (values: object): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** @param text `5`, `10%` or `rest`, with or without `:manual` */
function phaseOf(text: string): JsonObject {
  const [size = '', advance] = text.split(':');
  return { size: /^\d+$/.test(size) ? Number(size) : size, ...entriesOf({ advance }) };
}

function percentage(text: string): number {
  const [, number] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Expected a percentage such as 20%.');
  return Number(number);
}

function perRelation(text: string, before: Record<string, number> = {}): Record<string, number> {
  const [, relation, number] = /^(\w+)=([1-9]\d{0,4})$/.exec(text) ?? [];
  if (relation === undefined) throw new InvalidArgumentError('Expected a relation and a number, such as poweredBy=1.');
  return { ...before, [relation]: Number(number) };
}

const failureGate = (text: string): object =>
  text.endsWith('%') ? { failurePercent: percentage(text) } : { failures: count(text) };
