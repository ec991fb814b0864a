/** The page of all graphs that the package includes, from their definitions. */
import { basename } from 'node:path';
import { diagramOf } from '../../engine/library/forms/mermaid.ts';
import type { Graph } from '../../engine/library/types.ts';
import { everyGraph } from '../support/data/catalogue.ts';
import { bullets, code, fenced, json, pageOf } from './markdown.ts';
import { headerOf } from './source.ts';
import { anchorOf, ownFile } from './tasks.ts';

export function graphsPage(): string {
  const own = everyGraph.filter((graph) => ownFile(graph) !== undefined).sort((a, b) => a.name.localeCompare(b.name));
  return pageOf(
    'Every graph',
    'The graphs that the package includes. In the diagrams, the name in parentheses is the label of the task that a state runs; `done` and `failed` are its end. A failure without an arrow fails the workflow, and so does an end marked `failed`. [How graphs work](README.md).',
    ...own.flatMap(sectionOf),
  );
}

function sectionOf(graph: Graph): string[] {
  const file = ownFile(graph) as string;
  return [
    `## ${graph.name}`,
    linked(headerOf(file, graph.name)),
    `File: [${basename(file)}](${basename(file)}). Labels and their tasks, with the options that the graph sets:`,
    bullets([...graph.labels.values()].map((label) => lineOf(graph, label))),
    fenced('mermaid', diagramOf(graph.machine)),
  ];
}

/** Makes the names of pages links. */
const linked = (text: string): string => text.replace(/\b([A-Z][A-Z-]*\.md)\b/g, '[$1]($1)');

function lineOf(
  { options }: Graph,
  { label, task, overrides }: Graph['labels'] extends ReadonlyMap<string, infer L> ? L : never,
): string {
  const set = { ...overrides, ...options.defaults, ...options[label] };
  const shown = Object.keys(set).length === 0 ? '' : `: ${json(set)}`;
  return `${code(label)} runs [${task.name}](../tasks/REFERENCE.md#${anchorOf(task.name)})${shown}`;
}
