/**
 * Erases drives through the agent, all in parallel, verifies them, and issues a certificate. It cannot be undone.
 *
 * - **planning**: finds the drives in the newest driveId catalog, by their wwids.
 * - **looking**: the node reports their properties. A mismatch ends the task before any drive is touched.
 * - **preparing**: for an erase in firmware, sets the interlock on the node's power.
 * - **beginning**: starts a job for each drive on the node, detached from the agent, and watches it. The node ensures
 *   that each job starts once, so a daemon or an agent that dies here, or later, finds it running.
 * - **watching**: until all jobs have ended. A cancel stops scrub; an erase in firmware continues, and the task reports
 *   that. A watch that failed is repeated a limited number of times, after a pause that a cancel ends.
 * - **concluding**: records, certificate, and release of the interlock. A drive that was not sanitized fails the task.
 *
 * Output: `{ drives }`, one record each.
 */
import { type CommandResult, command, defineTask, type TaskInput, Type, type Violation } from 'nodewright/define';
import { assign, setup } from 'xstate';
import {
  conclude,
  type ErasedDrive,
  type EraseOptions,
  plan,
  prepare,
} from '../engine/hardware/erase/erase-activities.ts';
import { factsOf } from '../engine/hardware/erase/facts.ts';
import { beginCommand, type Job, lookCommand, watchCommand } from '../engine/hardware/erase/job-commands.ts';
import {
  chosenDrives,
  type EraseSetting,
  eraseSettings,
  type PlannedDrive,
  planOf,
} from '../engine/hardware/erase/plan.ts';

const name = 'Task.Drive.SecureErase';

const optionsSchema = Type.Object(
  {
    eraseSettings,
    plan: Type.Optional(
      Type.Array(Type.Unknown(), { description: 'Set by the graph: the drives that its check found.' }),
    ),
  },
  { additionalProperties: false },
);

interface Context extends TaskInput<EraseOptions> {
  run: string;
  drives: PlannedDrive[];
  boot: string;
  jobs: Job[];
  looked: CommandResult;
  report: string;
  trouble: string;
  pauses: number;
  erased: ErasedDrive | null;
}

const nothing: CommandResult = { exitCode: 0, stdout: '', stderr: '' };
const MAX_PAUSES = 20;
const PAUSE_SEC = 15;

/** Returns true for an error of a command that does not concern the jobs. */
const passing = (error: unknown): boolean =>
  ['COMMAND_FAILED', 'TASK_INTERRUPTED'].includes((error as { code?: string } | null)?.code ?? '');

/** Returns the progress of the jobs in the latest report. `unclear`: the report does not cover every job. */
function progressOf({ jobs, report }: Context): 'through' | 'running' | 'unclear' {
  const facts = factsOf(report);
  const states = jobs.map((_, at) => facts.get(`${at}`)?.state);
  if (states.includes(undefined)) return 'unclear';
  return states.includes('running') ? 'running' : 'through';
}

const machine = setup({
  types: {} as { context: Context; input: TaskInput<EraseOptions>; output: ErasedDrive | null },
  actors: { plan, look: command, prepare, begin: command, watch: command, conclude },
}).createMachine({
  id: name,
  context: ({ input }) => ({
    ...input,
    run: '',
    drives: [],
    boot: '',
    jobs: [],
    looked: nothing,
    report: '',
    trouble: '',
    pauses: 0,
    erased: null,
  }),
  initial: 'planning',
  states: {
    planning: {
      invoke: {
        src: 'plan',
        input: ({ context }) => context.options,
        onDone: {
          target: 'looking',
          actions: assign(({ event }) => ({ run: event.output.run ?? '', drives: event.output.drives ?? [] })),
        },
      },
    },
    looking: {
      invoke: {
        src: 'look',
        input: ({ context }) => lookCommand(context.drives),
        onDone: { target: 'preparing', actions: assign({ looked: ({ event }) => ({ ...nothing, ...event.output }) }) },
      },
    },
    preparing: {
      invoke: {
        src: 'prepare',
        input: ({ context: { run, drives, looked } }) => ({ run, drives, looked }),
        onDone: {
          target: 'beginning',
          actions: assign(({ event }) => ({ boot: event.output.boot ?? '', jobs: event.output.jobs ?? [] })),
        },
      },
    },
    beginning: {
      invoke: {
        src: 'begin',
        input: ({ context: { run, boot, jobs } }) => beginCommand(run, boot, jobs),
        onDone: { target: 'judging', actions: assign({ report: ({ event }) => event.output.stdout ?? '' }) },
        // The next look shows whether any job was started.
        onError: {
          guard: ({ event }) => passing(event.error),
          target: 'watching',
          actions: assign({ trouble: ({ event }) => String((event.error as Error).message).slice(0, 500) }),
        },
      },
    },
    watching: {
      invoke: {
        src: 'watch',
        input: ({ context: { run, boot, jobs, pauses } }) => watchCommand(run, boot, jobs, pauses > 0 ? PAUSE_SEC : 0),
        onDone: { target: 'judging', actions: assign({ report: ({ event }) => event.output.stdout ?? '' }) },
        onError: {
          guard: ({ context, event }) => passing(event.error) && context.pauses < MAX_PAUSES,
          target: 'watching',
          reenter: true,
          actions: assign({ pauses: ({ context }) => context.pauses + 1 }),
        },
      },
    },
    judging: {
      always: [
        {
          guard: ({ context }) => progressOf(context) === 'running',
          target: 'watching',
          actions: assign({ pauses: 0 }),
        },
        {
          guard: ({ context }) => progressOf(context) === 'unclear' && context.pauses < MAX_PAUSES,
          target: 'watching',
          actions: assign({ pauses: ({ context }) => context.pauses + 1 }),
        },
        { target: 'concluding' },
      ],
    },
    concluding: {
      invoke: {
        src: 'conclude',
        input: ({ context: { run, drives, boot, jobs, looked, report, trouble } }) => ({
          run,
          drives,
          boot,
          jobs,
          looked,
          report,
          trouble,
        }),
        onDone: { target: 'done', actions: assign({ erased: ({ event }) => event.output }) },
      },
    },
    done: { type: 'final' },
  },
  output: ({ context }) => context.erased,
});

export default defineTask<typeof optionsSchema, ErasedDrive>({
  injectableName: name,
  friendlyName: 'Erase drives',
  // Never restarted automatically. Read-only commands, and the idempotent start of the jobs, declare that themselves.
  recovery: 'once',
  destructive: true,
  optionsSchema,
  machine,
  // None of its activities touches a drive.
  probe: async () => ({ state: 'never-started' }),
  drives: async ({ options: { eraseSettings }, catalog }) =>
    eraseSettings && chosenDrives(planOf(eraseSettings as EraseSetting[], await catalog('driveId'))),
  checkLaunch: async ({ options, nodeId, catalog }) => {
    const given = options as Partial<EraseOptions>;
    if (nodeId === null) return [{ path: 'eraseSettings', message: 'need a node; launch the graph on one' }];
    const violations: Violation[] = [];
    if (given.plan !== undefined) violations.push({ path: 'plan', message: 'is unknown here; leave it out' });
    if (given.eraseSettings === undefined) return [...violations, { path: 'eraseSettings', message: 'is missing' }];
    return [...violations, ...planOf(given.eraseSettings, await catalog('driveId')).violations];
  },
});
