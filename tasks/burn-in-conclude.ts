/**
 * Ends a burn-in: collects the reports of its tests and the counters of the machine through the agent, adds the catalog `burn-in`, and
 * reports the health of the node. An agent that does not answer within ten minutes is not waited for: that is a result, too.
 *
 * Output: the catalog. A test, a counter or a drive beyond its limit fails as `BURN_IN_FAILED`; a test that did not run to its end
 * as `BURN_IN_INCOMPLETE`, which leaves the health as it was. The catalog is there in each case.
 */
import { type CommandResult, command, defineTask, MINUTE_MS, type TaskInput, Type } from 'nodewright/define';
import { assign, setup } from 'xstate';
import { concludeBurnIn, planIn } from '../engine/hardware/burn-in/burn-in-activities.ts';
import { burnInCollect } from '../engine/hardware/burn-in/burn-in-commands.ts';
import type { BurnInRecord } from '../engine/hardware/burn-in/burn-in-record.ts';
import { noResult } from '../engine/hardware/jobs/job-machine.ts';

const name = 'Task.BurnIn.Conclude';

const optionsSchema = Type.Object(
  {
    plan: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'Set by the graph: the facts before the tests.' }),
    ),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Set by the graph: the errors of the tests that did not pass, by test.',
      }),
    ),
  },
  { additionalProperties: false },
);

interface Options {
  plan?: unknown;
  errors?: Record<string, string>;
}

interface Context extends TaskInput<Options> {
  result: CommandResult | null;
  record: BurnInRecord | null;
}

const ANSWER_MS = 10 * MINUTE_MS;

export default defineTask<typeof optionsSchema, BurnInRecord>({
  injectableName: name,
  friendlyName: 'Conclude a burn-in',
  // A repeat reads again; the catalog is added once for a workflow.
  recovery: 'idempotent',
  optionsSchema,
  machine: setup({
    types: {} as { context: Context; input: TaskInput<Options>; output: BurnInRecord | null },
    actors: { collect: command, conclude: concludeBurnIn },
    delays: { answer: ANSWER_MS },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, result: null, record: null }),
    initial: 'collecting',
    states: {
      collecting: {
        invoke: {
          src: 'collect',
          input: ({ context: { options } }) => {
            const { run, tests, serials } = planIn(options.plan);
            return burnInCollect(run, tests, serials);
          },
          onDone: {
            target: 'concluding',
            actions: assign({ result: ({ event }) => ({ ...noResult, ...event.output }) }),
          },
          onError: 'concluding',
        },
        after: { answer: 'concluding' },
      },
      concluding: {
        invoke: {
          src: 'conclude',
          input: ({ context: { options, result } }) => ({ plan: options.plan, errors: options.errors ?? {}, result }),
          onDone: { target: 'done', actions: assign({ record: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.record,
  }),
});
