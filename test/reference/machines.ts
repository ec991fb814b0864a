/** The page of the engine's own machines. */
import { basename } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import { nodeMachine } from '../../engine/actors/node.ts';
import { taskRunMachine } from '../../engine/actors/task-run.ts';
import { workflowMachine } from '../../engine/actors/workflow.ts';
import { packagePath } from '../../engine/define/package-path.ts';
import { diagramOf } from '../../engine/library/mermaid.ts';
import { fenced, pageOf } from './markdown.ts';
import { headerOf } from './source.ts';

const machines: readonly [title: string, file: string, machine: AnyStateMachine][] = [
  ['Node', 'engine/actors/node.ts', nodeMachine],
  ['Workflow', 'engine/actors/workflow.ts', workflowMachine],
  ['Task run', 'engine/actors/task-run.ts', taskRunMachine],
];

export function machinesPage(): string {
  return pageOf(
    'The machines',
    'The states of the three machines of the engine. Of several transitions for one event the first whose guard (in brackets) holds is taken. [How they work together](README.md#the-actors).',
    ...machines.flatMap(([title, file, machine]) => [
      `## ${title}`,
      `[${file}](actors/${basename(file)})`,
      fenced('mermaid', diagramOf(machine)),
      headerOf(packagePath(file)),
    ]),
  );
}
