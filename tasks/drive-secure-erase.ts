/**
 * Erases drives through the agent, all side by side, verifies them, and certifies what was done. It cannot be undone.
 *
 * - **planning**: the drives are found in the newest driveId catalog, by their wwids.
 * - **looking**: the node says what they are. What does not fit ends the call before any drive is touched.
 * - **preparing**: with an erase in firmware the node's power is interlocked.
 * - **beginning**: a job for each drive is begun on the node, detached from the agent, and watched. The node sees to it that
 *   each is begun once; so a daemon or an agent that dies here, or later, finds it under way.
 * - **watching**: until all jobs are through. Cancelled, scrub is stopped; what firmware does goes on, and the call says so.
 * - **resting**: a watch went wrong; it is tried again, a few times.
 * - **concluding**: records, certificate, and the end of the interlock. One drive that was not sanitized fails the call.
 */
import { assign, setup } from 'xstate';
import { type CommandResult, command, defineTask, type Fault, type TaskInput, Type } from '../engine/define/index.ts';
import { conclude, type Erased, type EraseOptions, plan, prepare } from './erase/_acts.ts';
import { beginCommand, type Job, lookCommand, watchCommand } from './erase/_commands.ts';
import { factsOf } from './erase/_facts.ts';
import { eraseSettings, type PlannedDrive, planOf } from './erase/_plan.ts';

const name = 'Task.Drive.SecureErase';

const optionsSchema = Type.Object(
  {
    eraseSettings,
    plan: Type.Optional(Type.Array(Type.Unknown(), { description: "The graph's: what its check found." })),
  },
  { additionalProperties: false },
);

interface Context extends TaskInput<EraseOptions> {
  run: string;
  drives: PlannedDrive[];
  boot: string;
  jobs: Job[];
  looked: CommandResult;
  told: string;
  trouble: string;
  rests: number;
  erased: Erased | null;
}

const nothing: CommandResult = { exitCode: 0, stdout: '', stderr: '' };
const RESTS = 20;
const REST_MS = 15_000;

/** What a command may end with that says nothing of the jobs. */
const passing = (error: unknown): boolean =>
  ['COMMAND_FAILED', 'TASK_INTERRUPTED'].includes((error as { code?: string } | null)?.code ?? '');

/** How far the jobs are, as they were told last. `unclear`: not of each it was said. */
function progressOf({ jobs, told }: Context): 'through' | 'running' | 'unclear' {
  const facts = factsOf(told);
  const states = jobs.map((_, at) => facts.get(`${at}`)?.state);
  if (states.includes(undefined)) return 'unclear';
  return states.includes('running') ? 'running' : 'through';
}

const machine = setup({
  types: {} as { context: Context; input: TaskInput<EraseOptions>; output: Erased | null },
  actors: { plan, look: command, prepare, begin: command, watch: command, conclude },
}).createMachine({
  id: name,
  context: ({ input }) => ({
    ...input,
    ...{ run: '', drives: [], boot: '', jobs: [], looked: nothing, told: '', trouble: '', rests: 0, erased: null },
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
        onDone: { target: 'judging', actions: assign({ told: ({ event }) => event.output.stdout ?? '' }) },
        // Whether any was begun is seen by looking.
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
        input: ({ context: { run, boot, jobs } }) => watchCommand(run, boot, jobs),
        onDone: { target: 'judging', actions: assign({ told: ({ event }) => event.output.stdout ?? '' }) },
        onError: {
          guard: ({ context, event }) => passing(event.error) && context.rests < RESTS,
          target: 'resting',
          actions: assign({ rests: ({ context }) => context.rests + 1 }),
        },
      },
    },
    judging: {
      always: [
        {
          guard: ({ context }) => progressOf(context) === 'running',
          target: 'watching',
          actions: assign({ rests: 0 }),
        },
        {
          guard: ({ context }) => progressOf(context) === 'unclear' && context.rests < RESTS,
          target: 'resting',
          actions: assign({ rests: ({ context }) => context.rests + 1 }),
        },
        { target: 'concluding' },
      ],
    },
    resting: { after: { [REST_MS]: 'watching' } },
    concluding: {
      invoke: {
        src: 'conclude',
        input: ({ context: { run, drives, boot, jobs, looked, told, trouble } }) => ({
          ...{ run, drives, boot, jobs, looked, told, trouble },
        }),
        onDone: { target: 'done', actions: assign({ erased: ({ event }) => event.output }) },
      },
    },
    done: { type: 'final' },
  },
  output: ({ context }) => context.erased,
});

export default defineTask<typeof optionsSchema, Erased>({
  injectableName: name,
  friendlyName: 'Erase drives',
  // Never begun anew by itself. What only looks, and the begin that the node makes harmless to repeat, says so itself.
  recovery: 'once',
  optionsSchema,
  machine,
  // No act of it touches a drive.
  probe: async () => ({ state: 'never-started' }),
  checkLaunch: async ({ options, nodeId, catalog }) => {
    const given = options as Partial<EraseOptions>;
    if (nodeId === null) return [{ path: 'eraseSettings', message: 'are for a node; launch the graph on one' }];
    const faults: Fault[] = [];
    if (given.plan !== undefined) faults.push({ path: 'plan', message: 'is not known here' });
    if (given.eraseSettings === undefined) return [...faults, { path: 'eraseSettings', message: 'is missing' }];
    return [...faults, ...planOf(given.eraseSettings, await catalog('driveId')).faults];
  },
});
