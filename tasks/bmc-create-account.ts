/**
 * Makes an account of this service on the node's BMC, an administrator, and the obm with it: in band by ipmitool through the
 * agent on the node, or by Redfish with an account that exists. An account of this name gets the password, and nothing else.
 * The obm is written after the BMC has accepted the account by Redfish; in band it is tested after it was written.
 *
 * In band the address of the BMC comes from the catalog `bmc`; one from an untrusted sender is rejected.
 *
 * Output: `{ service, user, host }`.
 */
import {
  type ActivityScope,
  activity,
  bmcRetry,
  type Command,
  command,
  defineTask,
  PermanentError,
  secret,
  type TaskInput,
  Type,
} from 'nodewright/define';
import { assign, setup } from 'xstate';
import { accountScript, createRedfishAccount } from '../engine/hardware/redfish/create-account.ts';
import { SERVICE_ROOT, type ServiceInput, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const name = 'Task.Bmc.CreateAccount';
const services = ['ipmi-obm-service', 'redfish-obm-service'] as const;
const UNSET = '0.0.0.0';

const optionsSchema = Type.Object(
  {
    by: Type.Unsafe<'agent' | 'redfish'>({
      enum: ['agent', 'redfish'],
      description:
        'agent: in band by the agent on the node; redfish: by the account of the obm, or of `url` and `credential`.',
    }),
    user: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,15}$', description: 'Name of the account.' }),
    password: secret(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{8,16}$',
        description: 'Its password, which IPMI limits to 16 characters.',
      }),
    ),
    service: Type.Unsafe<(typeof services)[number]>({
      enum: [...services],
      description: 'Service of the obm that an account in band is for.',
    }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: 'Port of that obm.' })),
    protocol: Type.Optional(Type.Unsafe<'http' | 'https'>({ enum: ['http', 'https'], description: 'Of Redfish.' })),
    ...serviceOptions,
  },
  { additionalProperties: false },
);

interface Options extends ServiceInput {
  by: 'agent' | 'redfish';
  user: string;
  password: string;
  service: (typeof services)[number];
  port?: number;
  protocol?: 'http' | 'https';
}

interface Output {
  service: (typeof services)[number];
  user: string;
  /** Address of the BMC. */
  host: string;
}

const createByRedfish = activity(async (scope: ActivityScope<Options>): Promise<Output> => {
  const { nodeId, input, signal } = scope;
  const { url, user, password, verifySSL, ca } = input;
  const { origin, ask } = await serviceOf(scope);
  await createRedfishAccount(ask, user, password);
  const account = { origin, username: user, password, verifySSL, ca };
  const proof = await scope.services.redfish(nodeId as string, account);
  await proof.ask({ method: 'GET', path: `${SERVICE_ROOT}Systems` }, signal);
  const service = 'redfish-obm-service';
  await scope.services.changeObm(nodeId as string, service, {
    user,
    username: user,
    password,
    ...(url !== undefined && { uri: origin }),
    ...(verifySSL !== undefined && { verifySSL }),
    ...(ca !== undefined && { ca }),
  });
  return { service, user, host: new URL(origin).hostname };
});

const putObm = activity(async ({ input, nodeId, signal, services }: ActivityScope<Options>): Promise<Output> => {
  if (nodeId === null) throw new PermanentError('a workflow without a node has no BMC', 'NO_NODE');
  const { service, user, password, port, protocol, verifySSL, ca } = input;
  const { 'IP Address': host } = ((await services.trustedCatalog(nodeId, 'bmc')) ?? {}) as Record<string, unknown>;
  if (typeof host !== 'string' || host === '' || host === UNSET)
    throw new PermanentError('the catalog bmc has no IP Address: give the BMC one, then launch again', 'BMC_UNKNOWN');
  const given = { host, user, password, port, ...(service === 'redfish-obm-service' && { protocol, verifySSL, ca }) };
  const config = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  await services.setObm(nodeId, service, config);
  await (await services.obm(nodeId, service)).state(signal);
  return { service, user, host };
});

interface Context extends TaskInput<Options> {
  output: Output | null;
}

const COMMAND_SEC = 300;

const commandOf = ({ user, password }: Options): Command => ({
  command: accountScript(user, password),
  timeoutSec: COMMAND_SEC,
});

export default defineTask<typeof optionsSchema, Output>({
  injectableName: name,
  friendlyName: 'Create an account of a BMC',
  // The password is in the row, so a repeat sets the same one on the same account.
  recovery: 'idempotent',
  retry: bmcRetry,
  provides: services.map((obm) => ({ obm })),
  optionsSchema,
  options: { by: 'agent', user: 'nodewright', service: 'ipmi-obm-service' },
  machine: setup({
    types: {} as { context: Context; input: TaskInput<Options>; output: Output },
    actors: { command, createByRedfish, putObm },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, output: null }),
    initial: 'choosing',
    states: {
      choosing: {
        always: [
          { guard: ({ context }) => context.options.by === 'redfish', target: 'asking' },
          { target: 'commanding' },
        ],
      },
      asking: {
        invoke: {
          src: 'createByRedfish',
          input: ({ context }) => context.options,
          onDone: { target: 'done', actions: assign({ output: ({ event }) => event.output }) },
        },
      },
      commanding: { invoke: { src: 'command', input: ({ context }) => commandOf(context.options), onDone: 'putting' } },
      putting: {
        invoke: {
          src: 'putObm',
          input: ({ context }) => context.options,
          onDone: { target: 'done', actions: assign({ output: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.output as Output,
  }),
});
