/** A daemon for all tests of a file, with the fixtures' definitions and a few graphs that tests of `nw` launch. */
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import type { Scope } from '../ava/scope.ts';
import { folders } from '../engine/definition-folders.ts';
import { type DaemonProcess, startDaemonProcess } from '../servers/daemon.ts';
import { shared } from '../servers/shared-resources.ts';

const FAILS = {
  friendlyName: 'Fail',
  injectableName: 'Graph.Cli.Fail',
  tasks: [
    { label: 'before', taskName: 'Task.noop' },
    { label: 'breaks', taskName: 'Task.Fixture.Fail', waitOn: { before: 'succeeded' } },
  ],
};
const TIMES_OUT = {
  friendlyName: 'Time out',
  injectableName: 'Graph.Cli.TimeOut',
  tasks: [{ label: 'waits', taskName: 'Task.Wait.Notification', optionOverrides: { _taskTimeout: 50 } }],
};
const WAITS = {
  friendlyName: 'Wait',
  injectableName: 'Graph.Cli.Wait',
  tasks: [
    { label: 'first', taskName: 'Task.noop' },
    { label: 'report', taskName: 'Task.Wait.Notification', waitOn: { first: 'succeeded' } },
  ],
};
const SLEEPS = {
  friendlyName: 'Sleep',
  injectableName: 'Graph.Cli.Sleep',
  tasks: [{ label: 'nap', taskName: 'Task.Sleep' }],
};

export async function cliDaemon(t: Scope, config: ConfigFile = {}): Promise<DaemonProcess> {
  // The circuit of a BMC that does not answer is open until the test ends.
  const obm = { timeoutMs: 4_000, failures: 2, backoffMs: 280_000 };
  const daemon = await startDaemonProcess(t, { config: { ...folders, obm, ...config } });
  for (const graph of [FAILS, TIMES_OUT, WAITS, SLEEPS]) {
    const { status, body } = await daemon.api('PUT', '/workflows/graphs', graph);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  return daemon;
}

export const sharedCliDaemon = (): (() => Promise<DaemonProcess>) => shared((file) => cliDaemon(file));

/** @returns its id */
export async function addNode({ api }: DaemonProcess, name: string, rest: object = {}): Promise<string> {
  const { status, body } = await api('POST', '/nodes', { type: 'compute', name, ...rest });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}
