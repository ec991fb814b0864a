/** The page of all tasks that the package includes, from their definitions, and the page of each. */
import { basename, relative } from 'node:path';
import type { Need } from '../../engine/define/need.ts';
import type { Task } from '../../engine/library/types.ts';
import { packageRoot } from '../../engine/vocabulary/package-path.ts';
import { everyGraph, everyTask } from '../support/data/catalogue.ts';
import type { Entry } from './entry.ts';
import { bullets, code, fenced, pageOf } from './markdown.ts';
import { propertyLines, type Schema } from './schema.ts';
import { headerOf } from './source.ts';

/** Returns the file of a definition of this package; undefined for fixtures. */
export const ownFile = ({ source }: Pick<Task, 'source'>): string | undefined =>
  source.kind === 'file' && !source.file.includes('/fixtures/') ? source.file : undefined;

/** Returns the part of a link to a heading. */
export const anchorOf = (name: string): string => name.toLowerCase().replace(/[^\w-]/g, '');

const ownTasks = everyTask.filter((task) => ownFile(task) !== undefined).sort((a, b) => a.name.localeCompare(b.name));

export function tasksPage(): string {
  return pageOf(
    'Every task',
    'The tasks that the package includes, with their options. Every task also accepts `_taskTimeout`: milliseconds for the task run with all its attempts, by default 24 hours; 0 or -1: no timeout. [How tasks work](../../tasks/README.md).',
    ...ownTasks.flatMap(sectionOf),
  );
}

export const taskEntries = (): Entry[] =>
  ownTasks.map((task) => {
    const file = basename(ownFile(task) as string, '.ts');
    const graphs = runBy(task);
    return {
      name: task.name,
      parts: [
        ['Meaning', headerOf(ownFile(task) as string, task.name)],
        ['Properties', bullets(propertiesOf(task))],
        ['Options', optionsOf(task)],
        [
          'How to use it',
          graphs.length === 0 ? 'No included graph runs it. In a graph of your own:' : 'In a graph of your own:',
          fenced('ts', `import ${camel(file)} from 'nodewright/tasks/${file}.ts';`),
          ...(graphs.length === 0 ? [] : ['Graphs that run it:', bullets(graphs)]),
        ],
      ],
      declared: relative(packageRoot, ownFile(task) as string),
      sought: new RegExp(`tasks/${file}\\.ts'|'${task.name.replaceAll('.', '\\.')}'`),
    };
  });

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const runBy = ({ name }: Task): string[] =>
  everyGraph
    .filter(
      (graph) => ownFile(graph) !== undefined && [...graph.labels.values()].some(({ task }) => task.name === name),
    )
    .map((graph) => code(graph.name))
    .sort();

function sectionOf(task: Task): string[] {
  const file = ownFile(task) as string;
  const [first, ...others] = propertiesOf(task);
  return [
    `## ${task.name}`,
    headerOf(file, task.name),
    bullets([`File: [${basename(file)}](../../tasks/${basename(file)}). ${first}`, ...others]),
    optionsOf(task) === 'None.' ? 'No options.' : `Options:\n\n${optionsOf(task)}`,
  ];
}

function optionsOf({ schema, defaults }: Task): string {
  const options = propertyLines(schema as Schema, defaults);
  return options.length === 0 ? 'None.' : bullets(options);
}

const propertiesOf = (task: Task): string[] => [
  `After a crash: ${code(task.recovery)}.${retryOf(task)}`,
  ...task.needs.map((need) => `Needs: ${needOf(need)}.`),
  ...Object.entries(task.readOnly).map(
    ([name, values]) => `Safe to retry: a run with ${code(name)} ${values.map((one) => code(`${one}`)).join(' or ')}.`,
  ),
  ...task.provides.map(({ obm }) => `Provides: the obm ${code(obm)}.`),
  ...(task.destructive ? [`Destructive: ${task.drives ? 'a plan names the drives' : 'only its run knows what'}.`] : []),
  ...(task.power === undefined ? [] : [`Power of the node: ${task.power === 'cycle' ? 'off and on' : task.power}.`]),
];

const retryOf = ({ retry }: Task): string =>
  retry === undefined ? '' : ` Up to ${retry.attempts} attempts, the second after ${retry.delayMs} ms.`;

function needOf({ obm, named, unless = [] }: Need): string {
  const service = obm === 'any' ? 'an obm' : `the obm ${code(obm)}`;
  const choice = named === undefined ? '' : `, or the one that ${code(named)} names`;
  return `${service}${choice}${unless.length === 0 ? '' : `, unless ${unless.map(code).join(' and ')} are given`}`;
}
