/** Shows rollouts, their plans and their targets. */
import { countText } from '../../engine/vocabulary/count-texts.ts';
import type { GetAnswer, PostAnswer } from '../client/requests.ts';
import type { Client } from './client.ts';
import { type NodeText, nodeTexts } from './node-names.ts';
import {
  countsText,
  isTable,
  type OutputFormat,
  showAs,
  showList,
  showRecord,
  type TableColumn,
  tableText,
} from './output.ts';
import { shownTime } from './shown-time.ts';
import { inform, printableText, say } from './terminal.ts';

type Rollout = GetAnswer<'/rollouts/:id'>;
type Target = GetAnswer<'/rollouts/:id/targets'>[number];
type Plan = PostAnswer<'/rollouts/plan'>;

const phaseText = ({ phase, phases }: Pick<Rollout, 'phase' | 'phases'>): string => `${phase} of ${phases.length}`;

export const rolloutColumns: TableColumn<Rollout>[] = [
  { title: 'id', value: ({ id }) => id },
  { title: 'name', value: ({ name }) => name },
  { title: 'status', value: ({ status, reason }) => (reason === null ? status : `${status} (${reason.kind})`) },
  { title: 'phase', value: phaseText },
  { title: 'targets', value: ({ counts }) => countsText(counts) },
  { title: 'graph', value: ({ graph }) => graph, wide: true },
  { title: 'by', value: ({ createdBy }) => createdBy, wide: true },
  { title: 'created', value: ({ createdAt }) => shownTime(createdAt), wide: true },
];

const targetColumns = (nameOf: NodeText): TableColumn<Target>[] => [
  { title: 'sequence', value: ({ sequence }) => sequence },
  { title: 'phase', value: ({ phase }) => phase },
  { title: 'node', value: ({ node }) => nameOf(node) },
  { title: 'status', value: ({ status, reason }) => (reason === null ? status : `${status} (${reason})`) },
  { title: 'workflow', value: ({ workflow }) => workflow },
  { title: 'error', value: ({ error }) => error?.code },
];

const phaseColumns: TableColumn<Rollout['phases'][number]>[] = [
  { title: 'phase', value: ({ index }) => index },
  { title: 'size', value: ({ size }) => size },
  { title: 'then', value: ({ advance }) => advance },
  { title: 'targets', value: ({ counts }) => countsText(counts) },
];

export async function showRollout(client: Client, rollout: Rollout, format: OutputFormat): Promise<void> {
  const { id, name, graph, status, reason, counts, estimate, createdBy, createdAt, finishedAt, seed } = rollout;
  const tripping = reason?.targets?.map(({ node }) => node) ?? [];
  const nameOf = await nodeTexts(client, tripping, format);
  showRecord(
    rollout,
    [
      ['id', id],
      ['name', name],
      ['graph', graph],
      ['status', status],
      ['paused by', reason && reasonText(reason, nameOf)],
      ['phase', phaseText(rollout)],
      ['targets', countsText(counts)],
      ['will end', estimate && shownTime(estimate.finishedAt)],
      ['seed', seed],
      ['by', createdBy],
      ['created', shownTime(createdAt)],
      ['finished', finishedAt && shownTime(finishedAt)],
    ],
    format,
  );
  if (isTable(format)) say(tableText(rollout.phases, phaseColumns, format === 'wide'));
}

export async function showTargets(client: Client, targets: Target[], format: OutputFormat, total: number | undefined) {
  const nameOf = await nodeTexts(
    client,
    targets.map(({ node }) => node),
    format,
  );
  showList(targets, targetColumns(nameOf), format, total);
}

function reasonText({ kind, by, gate, targets = [] }: NonNullable<Rollout['reason']>, nameOf: NodeText): string {
  if (kind === 'phase') return 'the end of a phase: nw rollout advance begins the next one';
  if (gate !== undefined) return `gate ${JSON.stringify(gate)}: ${targets.map(({ node }) => nameOf(node)).join(', ')}`;
  return by ?? kind;
}

/** The sum first: a plan may have thousands of targets. */
export async function showRolloutPlan(client: Client, plan: Plan, format: OutputFormat): Promise<void> {
  const rejectedNodes = plan.rejections.map(({ node }) => node);
  const nameOf = await nodeTexts(client, rejectedNodes, format);
  showAs(format, plan, () => {
    const { graph, targets, phases, rejections, seed, estimate } = plan;
    say(
      printableText(
        `${graph} on ${countText(targets.length, 'node')} in ${countText(phases.length, 'phase')}, seed ${seed}`,
      ),
    );
    say(tableText(phases, phaseColumns, format === 'wide'));
    if (estimate !== null) say(`It would end ${shownTime(estimate.finishedAt)}, if nothing pauses it.`);
    for (const line of rejectionLines(rejections, nameOf)) inform(printableText(line));
    say('  Nothing was started.');
  });
}

const NAMES_SHOWN = 5;

/** One line for each reason: many nodes have the same. */
export function rejectionLines(rejections: Plan['rejections'], nameOf: NodeText): string[] {
  const nodesByReason = new Map<string, string[]>();
  for (const { node, code, message } of rejections) {
    const reason = `${message} (${code})`;
    nodesByReason.set(reason, [...(nodesByReason.get(reason) ?? []), node]);
  }
  return [...nodesByReason].map(([reason, nodes]) => {
    const names = nodes.slice(0, NAMES_SHOWN).map(nameOf).join(', ');
    const others = nodes.length - NAMES_SHOWN;
    return `rejected on ${names}${others > 0 ? ` and ${others} others` : ''}: ${reason}`;
  });
}
