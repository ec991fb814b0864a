/** The page of all tasks that the package includes, from their definitions. */
import { basename } from 'node:path';
import type { Need } from '../../engine/define/need.ts';
import type { Task } from '../../engine/library/types.ts';
import { everyTask } from '../support/data/catalogue.ts';
import { bullets, code, pageOf } from './markdown.ts';
import { propertyLines, type Schema } from './schema.ts';
import { headerOf } from './source.ts';

/** Returns the file of a definition of this package; undefined for fixtures. */
export const ownFile = ({ source }: Pick<Task, 'source'>): string | undefined =>
  source.kind === 'file' && !source.file.includes('/fixtures/') ? source.file : undefined;

/** Returns the part of a link to a heading. */
export const anchorOf = (name: string): string => name.toLowerCase().replace(/[^\w-]/g, '');

export function tasksPage(): string {
  const own = everyTask.filter((task) => ownFile(task) !== undefined).sort((a, b) => a.name.localeCompare(b.name));
  return pageOf(
    'Every task',
    'The tasks that the package includes, with their options. Every task also accepts `_taskTimeout`: milliseconds for the task run with all its attempts, by default 24 hours; 0 or -1: no timeout. [How tasks work](README.md).',
    ...own.flatMap(sectionOf),
  );
}

function sectionOf(task: Task): string[] {
  const file = ownFile(task) as string;
  const options = propertyLines(task.schema as Schema, task.defaults);
  return [
    `## ${task.name}`,
    headerOf(file, task.name),
    bullets([
      `File: [${basename(file)}](${basename(file)}). After a crash: ${code(task.recovery)}.${retryOf(task)}`,
      ...task.needs.map((need) => `Needs: ${needOf(need)}.`),
      ...Object.entries(task.readOnly).map(
        ([name, values]) =>
          `Safe to retry: a run with ${code(name)} ${values.map((one) => code(`${one}`)).join(' or ')}.`,
      ),
      ...task.provides.map(({ obm }) => `Provides: the obm ${code(obm)}.`),
      ...(task.destructive
        ? [`Destructive: ${task.drives ? 'a plan names the drives' : 'only its run knows what'}.`]
        : []),
      ...(task.power === undefined
        ? []
        : [`Power of the node: ${task.power === 'cycle' ? 'off and on' : task.power}.`]),
    ]),
    options.length === 0 ? 'No options.' : `Options:\n\n${bullets(options)}`,
  ];
}

const retryOf = ({ retry }: Task): string =>
  retry === undefined ? '' : ` Up to ${retry.attempts} attempts, the second after ${retry.delayMs} ms.`;

function needOf({ obm, named, unless = [] }: Need): string {
  const service = obm === 'any' ? 'an obm' : `the obm ${code(obm)}`;
  const choice = named === undefined ? '' : `, or the one that ${code(named)} names`;
  return `${service}${choice}${unless.length === 0 ? '' : `, unless ${unless.map(code).join(' and ')} are given`}`;
}
