/**
 * The machine of a task that runs one job on its node: plans it, watches it until it has ended, and concludes from its report. A
 * report that is lost is requested again a limited number of times, after a pause that a cancel ends.
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

interface JobSteps<Options, Plan, Output> {
  /** Must not touch the machine. */
  plan: Activity<Options, Plan>;
  commandOf: (plan: Plan, pauseSec: number) => Command;
  conclude: Activity<EndedJob<Plan>, Output>;
  /** Values instead of those that a plan lacks. */
  none: Plan;
}

interface Context extends TaskInput<unknown> {
  plan: object;
  result: CommandResult;
  pauses: number;
  output: unknown;
}

export const noResult: CommandResult = { exitCode: 0, stdout: '', stderr: '' };
const MAX_PAUSES = 20;
const PAUSE_SEC = 15;

/** Returns true for an error of a command that does not concern the job. */
const isPassing = (error: unknown): boolean =>
  ['COMMAND_FAILED', 'TASK_INTERRUPTED'].includes((error as { code?: string } | null)?.code ?? '');

export function jobMachine<Options, Plan extends object, Output>(
  name: string,
  { plan, commandOf, conclude, none }: JobSteps<Options, Plan, Output>,
): AnyStateMachine {
  return setup({
    types: {} as { context: Context; input: TaskInput<unknown>; output: unknown },
    actors: {
      plan: plan as Activity<unknown, object>,
      watch: command,
      conclude: conclude as Activity<{ plan: object; result: CommandResult }, unknown>,
    },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, plan: none, result: noResult, pauses: 0, output: null }),
    initial: 'planning',
    states: {
      planning: {
        invoke: {
          src: 'plan',
          input: ({ context }: { context: Context }) => context.options,
          onDone: { target: 'watching', actions: assign({ plan: ({ event }) => ({ ...none, ...event.output }) }) },
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
          onDone: { target: 'done', actions: assign({ output: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }: { context: Context }) => context.output,
  });
}
