/**
 * Looks at the node before a burn-in, through the agent: its tools, its drives with their health, and the counters of errors. It only
 * reads. A missing tool, an unknown drive, or one that is to be written on and is in use fails as `BURN_IN_REJECTED`: nothing is tested then.
 *
 * Output: `{ run, startedAt, tests, limits, before }`, for the tests and for `Task.BurnIn.Conclude`.
 */
import { command, defineTask, type TaskInput, Type } from 'nodewright/define';
import { assign, setup } from 'xstate';
import { type BurnInPlan, prepareBurnIn } from '../engine/hardware/burn-in/burn-in-activities.ts';
import { burnInLook } from '../engine/hardware/burn-in/burn-in-commands.ts';
import {
  type BurnInLimits,
  type BurnInTest,
  burnInLimits,
  burnInTests,
  limitOptions,
  serialNumbers,
} from '../engine/hardware/burn-in/burn-in-tests.ts';
import { noResult } from '../engine/hardware/jobs/job-machine.ts';

const name = 'Task.BurnIn.Prepare';

const optionsSchema = Type.Object(
  {
    tests: Type.Array(Type.Unsafe<'cpu' | 'memory' | 'disk'>({ type: 'string', enum: ['cpu', 'memory', 'disk'] }), {
      uniqueItems: true,
      description: 'Which tests run, besides those of `write` and `network`.',
    }),
    drives: Type.Optional(serialNumbers('The drives to examine and to read, by their serial numbers; absent: all.')),
    ...limitOptions,
    chosen: Type.Optional(
      Type.Array(Type.Unsafe<BurnInTest>({ type: 'string', enum: [...burnInTests] }), {
        description: 'Set by the graph: all of its tests.',
      }),
    ),
    written: Type.Optional(serialNumbers('Set by the graph: the drives to write on.')),
  },
  { additionalProperties: false },
);

interface Options extends BurnInLimits {
  tests: BurnInTest[];
  drives?: string[];
  chosen?: BurnInTest[];
  written?: string[];
}

interface Context extends TaskInput<Options> {
  stdout: string;
  plan: BurnInPlan | null;
}

const limitsOf = ({
  cpuCelsius,
  driveCelsius,
  correctedErrors,
  uncorrectedErrors,
  driveErrors,
}: Options): BurnInLimits => ({ cpuCelsius, driveCelsius, correctedErrors, uncorrectedErrors, driveErrors });

/** Empty: all drives. */
const serialsOf = ({ drives, written = [] }: Options): string[] =>
  drives === undefined ? [] : [...new Set([...drives, ...written])];

export default defineTask<typeof optionsSchema, BurnInPlan>({
  injectableName: name,
  friendlyName: 'Look at a machine before a burn-in',
  // It only reads.
  recovery: 'idempotent',
  optionsSchema,
  options: { tests: ['cpu', 'memory', 'disk'], ...burnInLimits },
  machine: setup({
    types: {} as { context: Context; input: TaskInput<Options>; output: BurnInPlan | null },
    actors: { look: command, prepare: prepareBurnIn },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, stdout: '', plan: null }),
    initial: 'looking',
    states: {
      looking: {
        invoke: {
          src: 'look',
          input: ({ context: { options } }) => burnInLook(serialsOf(options)),
          onDone: { target: 'preparing', actions: assign({ stdout: ({ event }) => event.output?.stdout ?? '' }) },
        },
      },
      preparing: {
        invoke: {
          src: 'prepare',
          input: ({ context: { options, stdout } }) => ({
            tests: options.chosen ?? options.tests,
            limits: limitsOf(options),
            serials: serialsOf(options),
            written: options.written ?? [],
            result: { ...noResult, stdout },
          }),
          onDone: { target: 'done', actions: assign({ plan: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.plan,
  }),
});
