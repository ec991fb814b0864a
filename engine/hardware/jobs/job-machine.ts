/**
 * The machine of a task that runs a job on its node: plans it, watches it until it has ended, and concludes from its report. A
 * report that is lost is requested again a limited number of times, after a pause that a cancel ends.
 *
 * With a look, a command that only reads, the machine runs jobs one after the other: it looks before each plan, until a plan has no job.
 */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type Command, type CommandResult, command, type TaskInput } from '../../define/index.ts';
import type { Activity } from '../../define/operation.ts';
import { isJobRunning } from './job-command.ts';

/** The input of the activity that concludes. */
export interface EndedJob<Plan> {
  plan: Plan;
  result: CommandResult;
}

/** The input of the activity that plans, with a look. */
export interface PlanAfterLook<Options, Output> {
  options: Options;
  stdout: string;
  /** The outputs of the jobs so far. */
  outputs: Output[];
}

/** The output of the activity that plans, with a look; null: nothing is left to do. */
export interface NextJob<Plan> {
  job: Plan | null;
}

interface Steps<PlanInput, Plan, PlanOutput, Output> {
  /** Must not touch the machine. */
  plan: Activity<PlanInput, PlanOutput>;
  commandOf: (plan: Plan, pauseSec: number) => Command;
  conclude: Activity<EndedJob<Plan>, Output>;
  /** Values instead of those that a plan lacks. */
  none: Plan;
}

type JobSteps<Options, Plan, Output> = Steps<Options, Plan, Plan, Output>;

interface LookingSteps<Options, Plan, Output>
  extends Steps<PlanAfterLook<Options, Output>, Plan, NextJob<Plan>, Output> {
  look: (options: Options) => Command;
}

interface Context extends TaskInput<unknown> {
  plan: object;
  result: CommandResult;
  pauses: number;
  stdout: string;
  outputs: unknown[];
}

interface PlanEvent {
  event: { output: object };
}

const jobIn = (output: object | undefined): object | null | undefined => (output as Partial<NextJob<object>>)?.job;

export const noResult: CommandResult = { exitCode: 0, stdout: '', stderr: '' };
const MAX_PAUSES = 20;
const PAUSE_SEC = 15;

/** Returns true for an error of a command that does not concern the job. */
const isPassing = (error: unknown): boolean =>
  ['COMMAND_FAILED', 'TASK_INTERRUPTED'].includes((error as { code?: string } | null)?.code ?? '');

/** @returns a machine whose output is that of the job */
export const jobMachine = <Options, Plan extends object, Output>(
  name: string,
  steps: JobSteps<Options, Plan, Output>,
): AnyStateMachine => machineOf(name, steps);

/** @returns a machine whose output is a list of those of the jobs */
export const jobsMachine = <Options, Plan extends object, Output>(
  name: string,
  steps: LookingSteps<Options, Plan, Output>,
): AnyStateMachine => machineOf(name, steps, steps.look);

function machineOf<Options, PlanInput, Plan extends object, PlanOutput extends object, Output>(
  name: string,
  { plan, commandOf, conclude, none }: Steps<PlanInput, Plan, PlanOutput, Output>,
  look?: (options: Options) => Command,
): AnyStateMachine {
  return setup({
    types: {} as { context: Context; input: TaskInput<unknown>; output: unknown },
    actors: {
      look: command,
      plan: plan as Activity<unknown, object>,
      watch: command,
      conclude: conclude as Activity<{ plan: object; result: CommandResult }, unknown>,
    },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, plan: none, result: noResult, pauses: 0, stdout: '', outputs: [] }),
    initial: look === undefined ? 'planning' : 'looking',
    states: {
      ...(look !== undefined && {
        looking: {
          invoke: {
            src: 'look',
            input: ({ context }: { context: Context }) => look(context.options as Options),
            onDone: {
              target: 'planning',
              actions: assign({ stdout: ({ event }) => (event.output as CommandResult | undefined)?.stdout ?? '' }),
            },
          },
        },
      }),
      planning: {
        invoke: {
          src: 'plan',
          input: ({ context: { options, stdout, outputs } }: { context: Context }) =>
            look === undefined ? options : { options, stdout, outputs },
          onDone: [
            ...(look === undefined ? [] : [{ guard: ({ event }: PlanEvent) => !jobIn(event.output), target: 'done' }]),
            {
              target: 'watching',
              actions: assign({
                plan: ({ event }) => ({ ...none, ...(look === undefined ? event.output : jobIn(event.output)) }),
                pauses: 0,
              }),
            },
          ],
        },
      },
      watching: {
        invoke: {
          src: 'watch',
          input: ({ context }) => commandOf(context.plan as Plan, context.pauses > 0 ? PAUSE_SEC : 0),
          onDone: {
            target: 'judging',
            actions: assign({ result: ({ event }) => ({ ...noResult, ...event.output }) }),
          },
          onError: {
            guard: ({ context, event }) => isPassing(event.error) && context.pauses < MAX_PAUSES,
            target: 'watching',
            reenter: true,
            actions: assign({ pauses: ({ context }) => context.pauses + 1 }),
          },
        },
      },
      judging: {
        always: [
          {
            guard: ({ context }) => isJobRunning(context.result),
            target: 'watching',
            actions: assign({ pauses: 0 }),
          },
          { target: 'concluding' },
        ],
      },
      concluding: {
        invoke: {
          src: 'conclude',
          input: ({ context: { plan: planned, result } }) => ({ plan: planned, result }),
          onDone: {
            target: look === undefined ? 'done' : 'looking',
            actions: assign({ outputs: ({ context, event }) => [...context.outputs, event.output] }),
          },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }: { context: Context }) => (look === undefined ? context.outputs[0] : context.outputs),
  });
}
