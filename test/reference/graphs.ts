/** The page of all graphs that the package includes, from their definitions, and the page of each. */
import { basename, relative } from 'node:path';
import { diagramOf } from '../../engine/library/forms/mermaid.ts';
import type { Graph } from '../../engine/library/types.ts';
import { packageRoot } from '../../engine/vocabulary/package-path.ts';
import { everyGraph } from '../support/data/catalogue.ts';
import type { Entry } from './entry.ts';
import { bullets, code, fenced, json, pageOf } from './markdown.ts';
import { headerOf } from './source.ts';
import { anchorOf, ownFile } from './tasks.ts';

const ownGraphs = everyGraph
  .filter((graph) => ownFile(graph) !== undefined)
  .sort((a, b) => a.name.localeCompare(b.name));

export function graphsPage(): string {
  return pageOf(
    'Every graph',
    'The graphs that the package includes. In the diagrams, the name in parentheses is the label of the task that a state runs; `done` and `failed` are its end. A failure without an arrow fails the workflow, and so does an end marked `failed`. [How graphs work](../../graphs/README.md).',
    ...ownGraphs.flatMap(sectionOf),
  );
}

export const graphEntries = (): Entry[] =>
  ownGraphs.map((graph) => ({
    name: graph.name,
    parts: [
      ['Meaning', linked(headerOf(ownFile(graph) as string, graph.name))],
      ['Labels', 'The tasks, with the options that the graph sets.', labelsOf(graph)],
      ['States', fenced('mermaid', diagramOf(graph.machine))],
      [
        'How to launch it',
        'The plan says what a launch would do, and why it would be rejected:',
        fenced('sh', `nw run ${graph.name} NODE --plan\nnw run ${graph.name} NODE --watch`),
        'When it does not continue, `nw why NODE` says what it waits for, and what can be done.',
      ],
    ],
    declared: relative(packageRoot, ownFile(graph) as string),
    sought: new RegExp(`\\b${graph.name.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`),
  }));

function sectionOf(graph: Graph): string[] {
  const file = ownFile(graph) as string;
  return [
    `## ${graph.name}`,
    linked(headerOf(file, graph.name)),
    `File: [${basename(file)}](../../graphs/${basename(file)}). Labels and their tasks, with the options that the graph sets:`,
    labelsOf(graph),
    fenced('mermaid', diagramOf(graph.machine)),
  ];
}

const labelsOf = (graph: Graph): string => bullets([...graph.labels.values()].map((label) => lineOf(graph, label)));

/** Makes the paths of pages links. */
const linked = (text: string): string => text.replace(/\bdocs\/([\w/-]+\.md)\b/g, '[docs/$1](../$1)');

function lineOf(
  { options }: Graph,
  { label, task, overrides }: Graph['labels'] extends ReadonlyMap<string, infer L> ? L : never,
): string {
  const set = { ...overrides, ...options.defaults, ...options[label] };
  const shown = Object.keys(set).length === 0 ? '' : `: ${json(set)}`;
  return `${code(label)} runs [${task.name}](tasks.md#${anchorOf(task.name)})${shown}`;
}
