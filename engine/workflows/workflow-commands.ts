/**
 * Commands to a running workflow: pause, resume, and attempts before their time. A pause is also for the children, which
 * are calls of the same work.
 */
import { NodewrightError } from '../define/errors.ts';
import { isActive } from '../define/states.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isPaused } from '../step/pausing.ts';
import type { WorkflowRow } from '../step/row.ts';

export type StepCommand = 'pause' | 'resume' | 'retry-now';

/** The circuits of a node's BMCs, in a lower layer: an early attempt would otherwise find them open. */
export type CloseCircuits = (node: string) => Promise<void>;

export class WorkflowCommands {
  readonly #runtime: Pick<Runtime, 'records' | 'send'>;
  readonly #closeCircuits: CloseCircuits;

  constructor(runtime: Pick<Runtime, 'records' | 'send'>, closeCircuits: CloseCircuits) {
    this.#runtime = runtime;
    this.#closeCircuits = closeCircuits;
  }

  /** @throws NodewrightError WORKFLOW_ENDED, CONFLICT with the state @returns whether there is such a workflow */
  async run(id: string, type: StepCommand, by: string | undefined): Promise<boolean> {
    const row = await this.#runtime.records.workflows.load(id);
    if (row === undefined) return false;
    if (!isActive(row.status))
      throw new NodewrightError('WORKFLOW_ENDED', `the workflow ${id} has ended ${row.status}`);
    if (type === 'retry-now' && row.node !== null && row.tasks.some(({ waitingOn }) => waitingOn === 'bmc'))
      await this.#closeCircuits(row.node);
    const below = await this.#below(row, type, by);
    const outcome = await this.#runtime.send.workflow(id, { type, ...(by !== undefined && { by }) });
    const isRepeat = type === 'pause' && isPaused(outcome?.row ?? row);
    if (outcome?.changed || isRepeat || below) return true;
    throw new NodewrightError('CONFLICT', senseless(outcome?.row ?? row, type));
  }

  /** @returns whether a child took the command */
  async #below({ operations }: WorkflowRow, type: StepCommand, by: string | undefined): Promise<boolean> {
    let taken = false;
    for (const operation of Object.values(operations)) {
      if (operation.kind !== 'graph' || operation.aborting) continue;
      // A child may have ended, or not begun; another one may take the command.
      const done = await this.run(operation.child, type, by).catch((error) => {
        if (error instanceof NodewrightError && error.status === 409) return false;
        throw error;
      });
      taken ||= done;
    }
    return taken;
  }
}

function senseless(row: WorkflowRow, type: StepCommand): string {
  const state = isPaused(row) ? 'paused' : String(row.actors.workflow?.snapshot.value ?? row.status);
  const expected = {
    pause: 'a running one',
    resume: 'a paused one',
    'retry-now': 'one with a task that waits for its next attempt',
  }[type];
  return `the workflow ${row.id} is ${state}; expected ${expected}`;
}
