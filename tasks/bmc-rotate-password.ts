/**
 * Replaces the password of the account by which an obm of the node logs in to its BMC. Obms with the same user and password
 * follow: IPMI and Redfish of one BMC share their accounts.
 *
 * - **preparing**: a new password is made up and kept beside the current one, encrypted; the BMC must accept the current one.
 * - **changing**: the BMC gets it, and accepts it in a new log-in. Otherwise it gets the current one again.
 * - **settling**: the obms get it, and the old one is dropped.
 *
 * Both passwords are kept until the BMC accepts one of them, whenever the daemon dies; a new launch continues.
 *
 * Output: `{ services }`, of the obms that have the new password.
 */
import {
  type ActivityScope,
  activity,
  bmcRetry,
  defineTask,
  needsObm,
  obmOptions,
  PermanentError,
  type TaskInput,
  Type,
} from 'nodewright/define';
import { assign, setup } from 'xstate';

const name = 'Task.Bmc.RotatePassword';

interface Options {
  obmServiceName?: string | null;
  length?: number;
}

const accountOf = async ({ nodeId, services, input }: ActivityScope<Options>) => {
  if (nodeId === null) throw new PermanentError('a workflow without a node has no obm', 'NO_NODE');
  return services.bmcAccount(nodeId, input.obmServiceName ?? undefined);
};

const prepare = activity(async (scope: ActivityScope<Options>) => {
  await (await accountOf(scope)).prepare(scope.input.length, scope.signal);
  return {};
});

const change = activity(async (scope: ActivityScope<Options>) => {
  await (await accountOf(scope)).change(scope.signal);
  return {};
});

const settle = activity(async (scope: ActivityScope<Options>) => ({
  services: await (await accountOf(scope)).settle(scope.signal),
}));

interface Context extends TaskInput<Options> {
  services: string[];
}

const optionsSchema = Type.Object(
  {
    obmServiceName: obmOptions.obmServiceName,
    length: Type.Optional(
      Type.Integer({
        minimum: 8,
        maximum: 64,
        description: 'Characters of the new password; absent: 16 for IPMI, which takes 20 at most; else 20.',
      }),
    ),
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, { services: string[] }>({
  injectableName: name,
  friendlyName: 'Rotate the password of a BMC',
  // One process at a time; each activity finds out what an interrupted one did.
  recovery: 'once',
  retry: bmcRetry,
  needs: needsObm,
  optionsSchema,
  machine: setup({
    types: {} as { context: Context; input: TaskInput<Options>; output: { services: string[] } },
    actors: { prepare, change, settle },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, services: [] }),
    initial: 'preparing',
    states: {
      preparing: { invoke: { src: 'prepare', input: ({ context }) => context.options, onDone: 'changing' } },
      changing: { invoke: { src: 'change', input: ({ context }) => context.options, onDone: 'settling' } },
      settling: {
        invoke: {
          src: 'settle',
          input: ({ context }) => context.options,
          onDone: { target: 'done', actions: assign({ services: ({ event }) => event.output.services }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context: { services } }) => ({ services }),
  }),
  probe: async () => ({ state: 'resumable' }),
});
