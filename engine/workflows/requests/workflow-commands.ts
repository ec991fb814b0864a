/**
 * Commands to workflows: cancel, pause, resume, attempts before their time, release from the quarantine, removal. A pause
 * is also for the children, which are calls of the same work. A user resumes and releases only what this user may launch.
 */
import type { WorkflowControl } from '../../api-port/index.ts';
import type { LauncherRole } from '../../durable/actors/messages.ts';
import type { Runtime } from '../../durable/runtime/runtime.ts';
import { isPaused } from '../../durable/step/pausing.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { pages } from '../../platform/store/pages.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { isActive } from '../../vocabulary/states.ts';
import type { LaunchRestrictions } from './launch-restrictions.ts';
import type { WorkflowReads } from './workflow-reads.ts';

type StepCommand = 'pause' | 'resume' | 'retry-now';

/** The circuits of a node's BMCs, in a lower district: an early attempt would otherwise find them open. */
type CloseCircuits = (node: string, by: string | undefined) => Promise<void>;

interface Dependencies {
  runtime: Runtime;
  reads: WorkflowReads;
  closeCircuits: CloseCircuits;
  restrictions: Pick<LaunchRestrictions, 'check' | 'hasRules'>;
  /** Called when a workflow was deleted. */
  removed(row: WorkflowRow): void;
}

export class WorkflowCommands implements WorkflowControl {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async cancel(id: string, by?: string): Promise<WorkflowRow | undefined> {
    const row = await this.#deps.runtime.records.workflows.load(id);
    if (row === undefined) return undefined;
    if (isActive(row.status)) return this.#cancelRow(row, by);
    if (row.status === 'cancelled') return this.#deps.reads.shownRow(row);
    throw new NodewrightError('WORKFLOW_ENDED', `the workflow ${id} has ended ${row.status}; it cannot be cancelled`);
  }

  async cancelOn(nodeId: string, by?: string): Promise<WorkflowRow | undefined> {
    const row = await this.#deps.reads.holderOf(nodeId);
    return row && this.#cancelRow(row, by);
  }

  /** Cancels through the node's actor, which owns the cancellation of the workflow that holds the node. */
  async #cancelRow(row: WorkflowRow, by: string | undefined): Promise<WorkflowRow> {
    const { send, records } = this.#deps.runtime;
    const asked = by === undefined ? {} : { by };
    await (await send.node(row.mailboxId, { type: 'cancel', workflow: row.id, ...asked })).settled;
    // Also directly, for children and workflows without a node; repeating it is harmless.
    await (await send.workflow(row.id, { type: 'cancel', ...asked }))?.settled;
    return this.#deps.reads.shownRow((await records.workflows.load(row.id)) ?? row);
  }

  async release(id: string, by?: string, roles?: readonly LauncherRole[]): Promise<WorkflowRow | undefined> {
    await this.#checkBeginning(id, roles);
    return (await this.#deps.runtime.quarantine.release(id, by)) ? this.#deps.reads.get(id) : undefined;
  }

  pause = (id: string, by?: string) => this.#command(id, 'pause', by);

  async resume(id: string, by?: string, roles?: readonly LauncherRole[]): Promise<WorkflowRow | undefined> {
    await this.#checkBeginning(id, roles);
    return this.#command(id, 'resume', by);
  }

  retryNow = (id: string, by?: string) => this.#command(id, 'retry-now', by);

  /** Checks the workflow, and its children, of which some are known only now. @throws NodewrightError LAUNCH_RESTRICTED */
  async #checkBeginning(id: string, launcherRoles: readonly LauncherRole[] = []): Promise<void> {
    const { runtime, restrictions } = this.#deps;
    const row = restrictions.hasRules ? await runtime.records.workflows.load(id) : undefined;
    if (row === undefined || !isActive(row.status)) return;
    const { graphName: name, node, options, definitionHash, operations } = row;
    await restrictions.check({ id, name, node, options, definitionHash, launcherRoles });
    for (const operation of Object.values(operations))
      if (operation.kind === 'graph') await this.#checkBeginning(operation.child, launcherRoles);
  }

  async #command(id: string, command: StepCommand, by: string | undefined): Promise<WorkflowRow | undefined> {
    return (await this.#run(id, command, by)) ? this.#deps.reads.get(id) : undefined;
  }

  async remove(id: string): Promise<boolean> {
    const { records, workflowEffects } = this.#deps.runtime;
    const row = await records.workflows.load(id);
    if (row === undefined) return false;
    if (isActive(row.status)) {
      throw new NodewrightError(
        'WORKFLOW_ACTIVE',
        `the workflow ${id} is ${row.status}; cancel it before you delete it`,
      );
    }
    // If the process that ended it died, its node would otherwise stay busy and its end unpublished.
    if (!(await workflowEffects.settle(row))) {
      throw new NodewrightError('UNAVAILABLE', `the pending effects of the workflow ${id} cannot run yet; try again`);
    }
    await records.workflows.remove(id);
    this.#deps.removed(row);
    await records.history.remove(id);
    return true;
  }

  /** @throws NodewrightError WORKFLOW_ENDED, CONFLICT with the state @returns whether there is such a workflow */
  async #run(id: string, type: StepCommand, by: string | undefined): Promise<boolean> {
    const row = await this.#deps.runtime.records.workflows.load(id);
    if (row === undefined) return false;
    if (!isActive(row.status))
      throw new NodewrightError('WORKFLOW_ENDED', `the workflow ${id} has ended ${row.status}`);
    const isCircuitOpen = type === 'retry-now' && row.node !== null && waitsForBmc(row);
    // This may begin the attempt; without it, one that waits for its time would wait for the BMC afterwards.
    if (type === 'retry-now' && row.node !== null && waitsForAttempt(row)) await this.#deps.closeCircuits(row.node, by);
    const below = await this.#below(row, type, by);
    const outcome = await this.#deps.runtime.send.workflow(id, { type, ...(by !== undefined && { by }) });
    const isRepeat = type === 'pause' && isPaused(outcome?.row ?? row);
    if (outcome?.changed || isRepeat || below || isCircuitOpen) return true;
    throw new NodewrightError('CONFLICT', senselessReason(outcome?.row ?? row, type));
  }

  /** Begins the attempts on these nodes that wait for a BMC. */
  async beginAttempts(nodes: readonly string[], by: string | undefined): Promise<void> {
    const { storedWorkflows } = this.#deps.runtime.records;
    for await (const row of pages(storedWorkflows, { node: { $in: [...nodes] }, status: ACTIVE })) {
      if (!waitsForBmc(row)) continue;
      await this.#deps.runtime.send.workflow(row.id, {
        type: 'retry-now',
        only: 'bmc',
        ...(by !== undefined && { by }),
      });
    }
  }

  /** @returns whether a child took the command */
  async #below({ operations }: WorkflowRow, type: StepCommand, by: string | undefined): Promise<boolean> {
    let taken = false;
    for (const operation of Object.values(operations)) {
      if (operation.kind !== 'graph' || operation.aborting) continue;
      // A child may have ended, or not begun; another one may take the command.
      const done = await this.#run(operation.child, type, by).catch((error) => {
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

const waitsForAttempt = ({ tasks }: WorkflowRow): boolean =>
  tasks.some(({ waitingOn }) => waitingOn === 'bmc' || waitingOn === 'retry');

function senselessReason(row: WorkflowRow, type: StepCommand): string {
  const state = isPaused(row) ? 'paused' : String(row.actors.workflow?.snapshot.value ?? row.status);
  const expected = {
    pause: 'a running one',
    resume: 'a paused one',
    'retry-now': 'one with a task that waits for its next attempt',
  }[type];
  return `the workflow ${row.id} is ${state}; expected ${expected}`;
}

/** Cancels a workflow that may have ended in the meantime. @param by the user; null or absent: unknown */
export async function cancelUnlessEnded(
  control: Pick<WorkflowControl, 'cancel'>,
  id: string,
  by?: string | null,
): Promise<void> {
  await control.cancel(id, by ?? undefined).catch((error) => {
    if (!(error instanceof NodewrightError) || error.code !== 'WORKFLOW_ENDED') throw error;
  });
}
