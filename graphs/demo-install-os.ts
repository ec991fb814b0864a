/**
 * Graph.Demo.InstallOs: the last phase of an operating system's installation. The installer reports that the system is
 * on disk, then the installed system reports that it has booted; each wait has its own timeout.
 *
 *     curl -X POST 'http://127.0.0.1:9080/api/current/notification?nodeId=<id>'
 *
 * Such a plain notification completes the next wait, and a repeat completes the one after. An installer should call the
 * callbacks of the two tasks instead (`task.callbacks['wait-os-installed']` in its template, `callback` in the
 * workflow's record): each completes its own task once, however often it is called.
 */
import { defineGraph, FAILED, failTo, type GraphError, HOUR_MS } from 'nodewright/define';
import { assign } from 'xstate';
import waitNotification from '../tasks/wait-notification.ts';

interface Context {
  installed: Record<string, unknown> | null;
  booted: Record<string, unknown> | null;
  error: GraphError | null;
}

const { createMachine } = defineGraph(
  {
    injectableName: 'Graph.Demo.InstallOs',
    friendlyName: 'Install an OS (demo)',
    tasks: {
      'wait-os-installed': { task: waitNotification, timeoutMs: HOUR_MS },
      'wait-os-booted': { task: waitNotification, timeoutMs: 1_200_000 },
    },
    // A notification to all nodes says nothing about this one.
    options: { defaults: { broadcast: false } },
  },
  {} as { context: Context },
);

export default createMachine({
  id: 'Graph.Demo.InstallOs',
  context: { installed: null, booted: null, error: null },
  initial: 'installing',
  states: {
    installing: {
      invoke: {
        src: 'wait-os-installed',
        onDone: { target: 'booting', actions: assign({ installed: ({ event }) => event.output }) },
        onError: failTo('failed'),
      },
    },
    booting: {
      invoke: {
        src: 'wait-os-booted',
        onDone: { target: 'installed', actions: assign({ booted: ({ event }) => event.output }) },
        onError: failTo('failed'),
      },
    },
    installed: { type: 'final' },
    failed: { type: 'final', tags: [FAILED] },
  },
  output: ({ context }) => ({ installed: context.installed, booted: context.booted }),
});
