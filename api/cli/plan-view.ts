/** Shows what a launch would do. */
import { countText } from '../../engine/vocabulary/count-texts.ts';
import { destructionTexts, isDestructive, powerText } from '../client/destruction.ts';
import { labelsInShort, type ShownPlan } from '../client/shown-plan.ts';
import { ago } from '../client/times.ts';
import { preciseDuration, usualTime } from '../client/usual-time.ts';
import type { Node } from './node-of.ts';
import { type OutputFormat, type TableColumn, tableText } from './output.ts';
import { colors, printableText, say } from './terminal.ts';

const columns: TableColumn<ShownPlan['tasks'][number]>[] = [
  { title: 'task', value: ({ label }) => label },
  { title: 'recovery', value: ({ recovery }) => recovery },
  {
    title: '',
    value: ({ destructive }) => (destructive ? 'destructive' : ''),
    paint: (text) => colors.red(text),
  },
  { title: 'usually', value: ({ usualMs }) => usualMs && `~${preciseDuration(usualMs.p50)}` },
  { title: 'after', value: ({ waitsFor }) => labelsInShort(waitsFor) },
  { title: 'options', value: ({ options }) => JSON.stringify(options), wide: true },
];

export type NodePlan = [plan: ShownPlan, node: Node | undefined];

/** Shows the sum first, the table of tasks once for each version of the graph, and at the end which nodes are busy. */
export function showPlans(plans: readonly NodePlan[], format: OutputFormat, write = say): void {
  if (plans.length > 1) write(sumOf(plans));
  const shownHashes = new Set<string>();
  for (const [plan, node] of plans) {
    showPlan(plan, node, format, write, !shownHashes.has(plan.definitionHash));
    shownHashes.add(plan.definitionHash);
  }
  const busy = plans.flatMap(([{ holder }, node]) => (holder === null || node === undefined ? [] : [{ holder, node }]));
  if (plans.length === 1) return;
  write(
    `${busy.length} of ${countText(plans.length, 'node')} ${busy.length === 1 ? 'is' : 'are'} busy${busy.length > 0 ? '; these would be rejected:' : ''}`,
  );
  for (const { node, holder } of busy) write(printableText(`  ${node.name}: ${holderText(holder)}`));
}

function sumOf(plans: readonly NodePlan[]): string {
  const reasons = new Map<string, number>();
  const isRejected = ([{ rejections, holder }]: NodePlan) => rejections.length > 0 || holder !== null;
  for (const [{ rejections }] of plans.filter(isRejected)) {
    const code = rejections[0]?.code ?? 'NODE_BUSY';
    reasons.set(code, (reasons.get(code) ?? 0) + 1);
  }
  const count = plans.filter(isRejected).length;
  const codes = [...reasons].map(([code, n]) => `${n} ${code}`).join(', ');
  const destructive = plans.filter(([plan]) => isDestructive(plan)).length;
  const parts = [
    `${plans.length - count} would be launched`,
    `${count} rejected${count > 0 ? ` (${codes})` : ''}`,
    ...(destructive > 0 ? [`destructive on ${destructive}`] : []),
  ];
  return printableText(`${countText(plans.length, 'node')}: ${parts.join(', ')}`);
}

const holderText = ({ graphName, workflow, launchedBy, since }: NonNullable<ShownPlan['holder']>): string =>
  `${graphName} (workflow ${workflow}${launchedBy === null ? '' : `, by ${launchedBy}`}, for ${ago(since)})`;

function showPlan(
  plan: ShownPlan,
  node: Node | undefined,
  format: OutputFormat,
  write: typeof say,
  hasTable: boolean,
): void {
  const target = node === undefined ? 'without a node' : `on ${printableText(node.name)}`;
  const warning = isDestructive(plan) ? `   ${colors.red('destructive')}` : '';
  write(`PLAN  ${printableText(plan.graph)} ${plan.definitionHash.slice(0, 6)} ${target}${warning}`);
  for (const text of destructionTexts(plan)) write(`  ${colors.red('destroys')}: ${printableText(text)}`);
  const power = powerText(plan);
  if (power !== undefined) write(`  power: ${printableText(power)}`);
  if (hasTable) {
    write(indent(tableText(plan.tasks, columns, format === 'wide')));
    write(`  needs: ${plan.needs.join(' or ')}`);
    write(`  takes ${usualTime(plan.usualMs)}`);
  }
  for (const { path, code, message } of plan.rejections)
    write(`  ${colors.red('rejected')}: ${printableText(`${path === '' ? '' : `${path}: `}${message}`)} (${code})`);
}

const indent = (text: string): string => text.replace(/^/gm, '  ');
