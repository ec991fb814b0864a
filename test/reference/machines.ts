/** The page of the engine's own machines. */
import type { AnyStateMachine } from 'xstate';
import { nodeMachine } from '../../engine/durable/actors/node.ts';
import { taskRunMachine } from '../../engine/durable/actors/task-run.ts';
import { workflowMachine } from '../../engine/durable/actors/workflow.ts';
import { diagramOf } from '../../engine/library/forms/mermaid.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { fenced, pageOf } from './markdown.ts';
import { headerOf } from './source.ts';

const machines: readonly [title: string, file: string, machine: AnyStateMachine][] = [
  ['Node', 'engine/durable/actors/node.ts', nodeMachine],
  ['Workflow', 'engine/durable/actors/workflow.ts', workflowMachine],
  ['Task run', 'engine/durable/actors/task-run.ts', taskRunMachine],
];

export function machinesPage(): string {
  return pageOf(
    'The machines',
    'The states of the three machines of the engine. Of several transitions for one event the first whose guard (in brackets) holds is taken. [How they work together](../../engine/README.md#the-actors).',
    ...machines.flatMap(([title, file, machine]) => [
      `## ${title}`,
      `[${file}](../../${file})`,
      fenced('mermaid', diagramOf(machine)),
      headerOf(packagePath(file)),
    ]),
  );
}
