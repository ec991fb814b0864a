/**
 * Commands to a running workflow: pause, resume, and attempts before their time. A pause is also for the children, which
 * are calls of the same work.
 */

import type { Runtime } from '../../durable/runtime/runtime.ts';
import { isPaused } from '../../durable/step/pausing.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { pages } from '../../platform/store/pages.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isActive } from '../../vocabulary/states.ts';

export type StepCommand = 'pause' | 'resume' | 'retry-now';

/** The circuits of a node's BMCs, in a lower district: an early attempt would otherwise find them open. */
export type CloseCircuits = (node: string, by: string | undefined) => Promise<void>;

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
    const rests = type === 'retry-now' && row.node !== null && waitsForBmc(row);
    // This may begin the attempt.
    if (rests && row.node !== null) await this.#closeCircuits(row.node, by);
    const below = await this.#below(row, type, by);
    const outcome = await this.#runtime.send.workflow(id, { type, ...(by !== undefined && { by }) });
    const isRepeat = type === 'pause' && isPaused(outcome?.row ?? row);
    if (outcome?.changed || isRepeat || below || rests) return true;
    throw new NodewrightError('CONFLICT', senseless(outcome?.row ?? row, type));
  }

  /** Begins the attempts on these nodes that wait for a BMC. */
  async endRests(nodes: readonly string[], by: string | undefined): Promise<void> {
    const { storedWorkflows } = this.#runtime.records;
    for await (const row of pages(storedWorkflows, { node: { $in: [...nodes] }, status: ACTIVE })) {
      if (!waitsForBmc(row)) continue;
      await this.#runtime.send.workflow(row.id, { type: 'retry-now', only: 'bmc', ...(by !== undefined && { by }) });
    }
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

const ACTIVE = { $in: ['pending', 'running'] };

const waitsForBmc = ({ tasks }: WorkflowRow): boolean => tasks.some(({ waitingOn }) => waitingOn === 'bmc');

function senseless(row: WorkflowRow, type: StepCommand): string {
  const state = isPaused(row) ? 'paused' : String(row.actors.workflow?.snapshot.value ?? row.status);
  const expected = {
    pause: 'a running one',
    resume: 'a paused one',
    'retry-now': 'one with a task that waits for its next attempt',
  }[type];
  return `the workflow ${row.id} is ${state}; expected ${expected}`;
}
