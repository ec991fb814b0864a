/** Shows what a launch would do. */

import { isDestructive, type ShownPlan } from '../client/plans.ts';
import { precise, usualTime } from '../client/usual-time.ts';
import type { Node } from './node-of.ts';
import { type OutputFormat, type TableColumn, tableText } from './output.ts';
import { colors, printable, say } from './terminal.ts';

type PlannedTask = ShownPlan['tasks'][number];

const columns: TableColumn<PlannedTask>[] = [
  { title: 'task', value: ({ label }) => label },
  { title: 'recovery', value: ({ recovery }) => recovery },
  {
    title: '',
    value: ({ destructive }) => (destructive ? 'destructive' : ''),
    paint: (text) => colors.red(text),
  },
  { title: 'usually', value: ({ usualMs }) => usualMs && `~${precise(usualMs.p50)}` },
  { title: 'after', value: ({ waitsFor }) => shortened(waitsFor) },
  { title: 'options', value: ({ options }) => JSON.stringify(options), wide: true },
];

/** A label may come after all others. */
const NAMED = 3;

function shortened(labels: readonly string[]): string | null {
  const rest = labels.length - NAMED;
  const named = labels.slice(0, NAMED).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named || null;
}

export function showPlan(plan: ShownPlan, node: Node | undefined, format: OutputFormat, write = say): void {
  const target = node === undefined ? 'without a node' : `on ${printable(node.name)}`;
  const warning = isDestructive(plan) ? `   ${colors.red('destructive')}` : '';
  write(`PLAN  ${printable(plan.graph)} ${plan.definitionHash.slice(0, 6)} ${target}${warning}`);
  write(indented(tableText(plan.tasks, columns, format === 'wide')));
  write(`  needs: ${plan.needs.join(' or ')}`);
  for (const { path, code, message } of plan.refusals)
    write(`  ${colors.red('refused')}: ${printable(`${path === '' ? '' : `${path}: `}${message}`)} (${code})`);
  write(`  takes ${usualTime(plan.usualMs)}`);
}

const indented = (text: string): string => text.replace(/^/gm, '  ');
