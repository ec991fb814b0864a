/**
 * Graph.Bmc.CreateAccount: makes an account of this service on the node's BMC, with a random password that is not shown, and the
 * obm with it.
 *
 * - Options: `create-account` with `by`: `agent` (default), in band through the microkernel, for a node without an obm; or
 *   `redfish`, with the account of the obm, or with `url` and `credential`; `user`; in band also `service`, `port`.
 * - In band it switches no power: the agent of a discovered node still asks for commands, or a person restarts the machine.
 * - Irreversible: an account of that name gets another password, and the obm of that service is replaced.
 * - Cancel, crash, failure: the account may be there without its obm; a new launch gives it a new password and the obm.
 *
 * Documentation: docs/operate/bmc-accounts.md.
 */
import { defineGraph, FAILED, failTo, type GraphError, MINUTE_MS } from 'nodewright/define';
import { assign } from 'xstate';
import createAccount from '../tasks/bmc-create-account.ts';
import catalogBmc from '../tasks/catalog-bmc.ts';
import collect from '../tasks/discovery-collect.ts';
import generate from '../tasks/generate-password.ts';
import bootstrap from '../tasks/linux-bootstrap.ts';
import finish from '../tasks/trigger-send-finish.ts';

interface Context {
  isInBand: boolean;
  password: string;
  error: GraphError | null;
}

/** In the examples. */
const account = { user: 'nodewright', password: 'Abcdefgh23456789' };

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Bmc.CreateAccount',
    friendlyName: 'Create an account of a BMC',
    tasks: {
      'generate-password': generate,
      bootstrap,
      collect: { task: collect, timeoutMs: 120 * MINUTE_MS },
      'catalog-bmc': { task: catalogBmc, timeoutMs: 10 * MINUTE_MS },
      'create-account': { task: createAccount, timeoutMs: 15 * MINUTE_MS },
      'finish-bootstrap': finish,
    },
    examples: [
      { outputs: { 'generate-password': [account] } },
      { options: { 'create-account': { by: 'redfish' } }, outputs: { 'generate-password': [account] } },
    ],
  },
  {} as { context: Context },
);

const isInBand = (options: Record<string, unknown> | undefined): boolean =>
  (options?.['create-account'] as { by?: unknown } | undefined)?.by !== 'redfish';

export default createMachine({
  id: 'Graph.Bmc.CreateAccount',
  context: ({ input }) => ({ isInBand: isInBand(input?.options), password: '', error: null }),
  initial: 'generating',
  states: {
    generating: {
      invoke: {
        src: 'generate-password',
        onDone: [
          {
            guard: ({ context }) => context.isInBand,
            target: 'inBand',
            actions: assign({ password: ({ event }) => event.output?.password ?? '' }),
          },
          { target: 'creating', actions: assign({ password: ({ event }) => event.output?.password ?? '' }) },
        ],
        onError: failTo('failed'),
      },
    },
    inBand: {
      type: 'parallel',
      states: {
        // While this task waits, a network boot of the node starts the microkernel.
        booting: {
          initial: 'parked',
          states: {
            parked: { invoke: { src: 'bootstrap', onDone: 'released', onError: failTo('#failed') } },
            released: { type: 'final' },
          },
        },
        working: {
          initial: 'waiting',
          states: {
            waiting: { invoke: { src: 'collect', onDone: 'looking', onError: failTo('#failed') } },
            // The address of the BMC decides where the password is sent.
            looking: { invoke: { src: 'catalog-bmc', onDone: 'releasing', onError: failTo('#failed') } },
            releasing: { invoke: { src: 'finish-bootstrap', onDone: 'through', onError: failTo('#failed') } },
            through: { type: 'final' },
          },
        },
      },
      onDone: 'creating',
    },
    // In band the agent still asks for commands.
    creating: {
      invoke: {
        src: 'create-account',
        input: ({ context }) => ({ password: context.password }),
        onDone: 'created',
        onError: failTo('failed'),
      },
    },
    created: { type: 'final' },
    failed: { id: 'failed', type: 'final', tags: [FAILED] },
  },
});
