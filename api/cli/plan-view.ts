/** Shows what a launch would do. */
import { isDestructive, labelsInShort, type ShownPlan } from '../client/shown-plan.ts';
import { precise, usualTime } from '../client/usual-time.ts';
import type { Node } from './node-of.ts';
import { type OutputFormat, type TableColumn, tableText } from './output.ts';
import { colors, printable, say } from './terminal.ts';

const columns: TableColumn<ShownPlan['tasks'][number]>[] = [
  { title: 'task', value: ({ label }) => label },
  { title: 'recovery', value: ({ recovery }) => recovery },
  {
    title: '',
    value: ({ destructive }) => (destructive ? 'destructive' : ''),
    paint: (text) => colors.red(text),
  },
  { title: 'usually', value: ({ usualMs }) => usualMs && `~${precise(usualMs.p50)}` },
  { title: 'after', value: ({ waitsFor }) => labelsInShort(waitsFor) },
  { title: 'options', value: ({ options }) => JSON.stringify(options), wide: true },
];

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
