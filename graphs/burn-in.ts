/**
 * Graph.BurnIn: boots the node into a microkernel and loads its processors, memory, drives and network, one test after the other.
 *
 * - Options: `prepare` with `tests`, `drives` and the limits; `cpu`, `memory`, `disk` with `durationSec` and floors; `network` with
 *   `peer`, without which it is left out; `write` with `serials`, without which nothing is written; for the reboots those of
 *   `Task.Obm.Node.Reboot`, for the microkernel those of `Task.Linux.Bootstrap`.
 * - A test that fails does not keep the others from running. The catalog `burn-in` has all results, and the health of the node follows.
 * - Irreversible: with `write` the content of its drives is lost. Unwritten data of the node's operating system always is.
 * - Cancel: the tools are stopped, and there is no result. The node stays in the microkernel.
 * - Crash: a test continues on the node, and the next daemon watches it. It is begun once.
 *
 * Documentation: docs/operate/burn-in.md.
 */
import { DAY_MS, defineGraph, FAILED, failTo, failWithoutImage, type GraphError, MINUTE_MS } from 'nodewright/define';
import { assign } from 'xstate';
import { type BurnInTest, burnInTests } from '../engine/hardware/burn-in/burn-in-tests.ts';
import conclude from '../tasks/burn-in-conclude.ts';
import cpu from '../tasks/burn-in-cpu.ts';
import disk from '../tasks/burn-in-disk.ts';
import memory from '../tasks/burn-in-memory.ts';
import network from '../tasks/burn-in-network.ts';
import prepare from '../tasks/burn-in-prepare.ts';
import write from '../tasks/burn-in-write.ts';
import driveId from '../tasks/catalog-drive-id.ts';
import collect from '../tasks/discovery-collect.ts';
import bootstrap from '../tasks/linux-bootstrap.ts';
import pxeBoot from '../tasks/obm-node-pxe-boot.ts';
import reboot from '../tasks/obm-node-reboot.ts';
import sleep from '../tasks/sleep.ts';
import finish from '../tasks/trigger-send-finish.ts';

interface Context {
  chosen: BurnInTest[];
  /** Serial numbers. */
  written: string[];
  /** Milliseconds after which a machine that does not answer any more has failed a test. */
  timeouts: Partial<Record<BurnInTest, number>>;
  plan: object | null;
  remaining: BurnInTest[];
  errors: Partial<Record<BurnInTest, string>>;
  output: unknown;
  error: GraphError | null;
}

/** A test has this time besides its duration: to start, and to be reported. */
const GRACE_MS = 30 * MINUTE_MS;

const { createMachine, createStateConfig } = defineGraph(
  {
    injectableName: 'Graph.BurnIn',
    friendlyName: 'Burn in a machine',
    tasks: {
      'set-boot-pxe': { task: pxeBoot, timeoutMs: 10 * MINUTE_MS },
      'reboot-start': { task: reboot, timeoutMs: 15 * MINUTE_MS },
      bootstrap: { task: bootstrap, timeoutMs: 40 * DAY_MS },
      'wait-agent': { task: collect, timeoutMs: 120 * MINUTE_MS },
      'disk-scan-delay': sleep,
      'catalog-drive-id': { task: driveId, timeoutMs: 10 * MINUTE_MS },
      prepare: { task: prepare, timeoutMs: 15 * MINUTE_MS },
      cpu,
      memory,
      disk,
      write,
      network,
      conclude: { task: conclude, timeoutMs: 30 * MINUTE_MS },
      'finish-bootstrap': finish,
      'reboot-end': { task: reboot, timeoutMs: 15 * MINUTE_MS },
    },
    // The kernel needs this time to find the drives.
    options: { 'disk-scan-delay': { duration: 10_000 } },
    examples: [
      { options: { cpu: { durationSec: 600 }, memory: { durationSec: 600 }, disk: { durationSec: 600 } } },
      { options: { network: { peer: '10.1.1.1' }, write: { serials: ['S4XF0012'] } } },
    ],
  },
  {} as { context: Context },
);

/** The option of a label in a request, also of `defaults`. */
const optionOf = (request: Record<string, unknown> | undefined, label: string, name: string): unknown =>
  [label, 'defaults']
    .map((key) => (request?.[key] as Record<string, unknown> | undefined)?.[name])
    .find((one) => one !== undefined);

const taskOf = { cpu, memory, disk, write, network };

function contextOf(request: Record<string, unknown> | undefined): Context {
  const tests = (optionOf(request, 'prepare', 'tests') ?? prepare.options.tests) as BurnInTest[];
  const written = (optionOf(request, 'write', 'serials') ?? []) as string[];
  const isChosen: Record<BurnInTest, boolean> = {
    cpu: tests.includes('cpu'),
    memory: tests.includes('memory'),
    disk: tests.includes('disk'),
    write: written.length > 0,
    network: optionOf(request, 'network', 'peer') !== undefined,
  };
  const timeouts = burnInTests.map((test) => {
    const duration = Number(optionOf(request, test, 'durationSec') ?? taskOf[test].options.durationSec);
    return [test, duration * 1_000 + GRACE_MS];
  });
  const chosen = burnInTests.filter((test) => isChosen[test]);
  const nothing = { plan: null, remaining: chosen, errors: {}, output: null, error: null };
  return { chosen, written, timeouts: Object.fromEntries(timeouts), ...nothing };
}

/** The errors of tests, as the last task takes them: braces would begin a template in its options. */
function withError(errors: Context['errors'], test: BurnInTest, error: unknown): Context['errors'] {
  const { message = '' } = (error ?? {}) as Partial<GraphError>;
  return { ...errors, [test]: message.replace(/[{}]/g, '') };
}

/** Whether the machine reported on the test; without a report the next one would wait for it as long. */
const isReported = (error: unknown): boolean =>
  ['BURN_IN_FAILED', 'BURN_IN_INCOMPLETE'].includes((error as Partial<GraphError> | null)?.code ?? '');

const testState = (test: BurnInTest) =>
  createStateConfig({
    invoke: {
      // All tests have these options.
      src: test as 'cpu',
      input: ({ context: { plan, timeouts } }) => ({ plan: plan ?? {}, _taskTimeout: timeouts[test] ?? 0 }),
      onDone: 'choosing',
      onError: [
        {
          guard: ({ event }) => isReported(event.error),
          target: 'choosing',
          actions: assign({ errors: ({ context, event }) => withError(context.errors, test, event.error) }),
        },
        {
          target: 'concluding',
          actions: assign({ errors: ({ context, event }) => withError(context.errors, test, event.error) }),
        },
      ],
    },
    exit: assign({ remaining: ({ context }) => context.remaining.slice(1) }),
  });

const isNext =
  (test: BurnInTest) =>
  ({ context }: { context: Context }) =>
    context.remaining[0] === test;

const hasFailed = ({ error, errors }: Context): boolean => error !== null || Object.keys(errors).length > 0;

export default createMachine({
  id: 'Graph.BurnIn',
  context: ({ input }) => contextOf(input?.options),
  initial: 'testing',
  states: {
    testing: {
      type: 'parallel',
      states: {
        // While this task waits, every network boot of the node starts the microkernel.
        microkernel: {
          initial: 'parked',
          states: {
            parked: { invoke: { src: 'bootstrap', onDone: 'released', onError: failTo('#failed') } },
            released: { type: 'final' },
          },
        },
        working: {
          initial: 'settingPxe',
          states: {
            settingPxe: {
              invoke: { src: 'set-boot-pxe', onDone: 'rebooting', onError: failWithoutImage('rebooting', '#failed') },
            },
            rebooting: { invoke: { src: 'reboot-start', onDone: 'waiting', onError: failTo('#failed') } },
            waiting: { invoke: { src: 'wait-agent', onDone: 'delaying', onError: failTo('#failed') } },
            delaying: { invoke: { src: 'disk-scan-delay', onDone: 'looking', onError: failTo('#failed') } },
            looking: { invoke: { src: 'catalog-drive-id', onDone: 'preparing', onError: 'preparing' } },
            preparing: {
              invoke: {
                src: 'prepare',
                input: ({ context: { chosen, written } }) => ({ chosen, ...(written.length > 0 && { written }) }),
                onDone: { target: 'choosing', actions: assign({ plan: ({ event }) => event.output ?? null }) },
                // Nothing was tested: the node is released, and there is no result.
                onError: failTo('releasing'),
              },
            },
            choosing: {
              always: [
                { guard: isNext('cpu'), target: 'cpu' },
                { guard: isNext('memory'), target: 'memory' },
                { guard: isNext('disk'), target: 'disk' },
                { guard: isNext('write'), target: 'write' },
                { guard: isNext('network'), target: 'network' },
                { target: 'concluding' },
              ],
            },
            cpu: testState('cpu'),
            memory: testState('memory'),
            disk: testState('disk'),
            write: testState('write'),
            network: testState('network'),
            concluding: {
              invoke: {
                src: 'conclude',
                input: ({ context: { plan, errors } }) => ({
                  plan: plan ?? {},
                  errors: errors as Record<string, string>,
                }),
                onDone: { target: 'releasing', actions: assign({ output: ({ event }) => event.output ?? null }) },
                onError: failTo('releasing'),
              },
            },
            releasing: { invoke: { src: 'finish-bootstrap', onDone: 'through', onError: failTo('#failed') } },
            through: { type: 'final' },
          },
        },
      },
      onDone: 'rebooting',
    },
    rebooting: {
      invoke: {
        src: 'reboot-end',
        onDone: [{ guard: ({ context }) => hasFailed(context), target: 'failed' }, { target: 'passed' }],
        onError: failTo('failed'),
      },
    },
    passed: { type: 'final' },
    failed: { id: 'failed', type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => context.output,
});
