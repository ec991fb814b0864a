/** Graphs that wait for a notification and then do something forbidden in a step; and the state of their workflows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seen } from '../faults/workload.ts';
import type { DaemonProcess } from '../servers/daemon.ts';

/** @param code of a guard, which runs in the step that the notification causes */
export const waitsThen = (name: string, code: string): string => `
import { createMachine } from 'xstate';
const guard = () => { ${code} };
export default createMachine({
  id: '${name}',
  initial: 'waiting',
  states: {
    waiting: { invoke: { src: 'Task.Wait.Notification', onDone: { guard, target: 'done' } } },
    done: { type: 'final' },
  },
});`;

/** @param code of a guard that runs in the first step */
export const atOnce = (name: string, code: string): string => `
import { createMachine } from 'xstate';
const guard = () => { ${code} };
export default createMachine({
  id: '${name}',
  initial: 'first',
  states: { first: { always: { guard, target: 'done' } }, done: { type: 'final' } },
});`;

/** Code that does not return until there is a file of that name in the folder NODEWRIGHT_TEST_GRAPHS. */
export const loopsUnless = (file: string): string => `
  const { existsSync } = process.getBuiltinModule('node:fs');
  const isThere = existsSync(process.env.NODEWRIGHT_TEST_GRAPHS + '/${file}');
  while (!isThere);
  return isThere;`;

/** @param code of an idempotent activity that runs before the first wait @param look code of its `checkLaunch` */
export const actingGraph = (name: string, code: string, look = ''): string => `
import { defineGraph, defineTask, Type } from 'nodewright/define';
const task = defineTask({
  injectableName: 'Task.${name}', friendlyName: 'acts', recovery: 'idempotent', optionsSchema: Type.Object({}),
  run: async () => { ${code} },
  checkLaunch: async () => { ${look}; return []; },
});
export default defineGraph({ injectableName: '${name}', friendlyName: 'acts', tasks: { act: task } }).createMachine({
  id: '${name}', initial: 'a', states: { a: { invoke: { src: 'act', onDone: 'b' } }, b: { type: 'final' } },
});`;

/** @param text of each file by its name. @returns the paths of the files */
export function putGraphs(folder: string, texts: Record<string, string>): string[] {
  return Object.entries(texts).map(([name, text]) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  });
}

export interface Shown {
  status: string;
  error: { code: string; message: string } | null;
  tasks: { state: string; waitingOn: string | null }[];
}

export const shown = async ({ api }: DaemonProcess, id: string): Promise<Shown> =>
  (await api('GET', `/workflows/${id}`)).body as unknown as Shown;

/** Resolves when the workflow is quarantined. */
export const quarantined = (daemon: DaemonProcess, id: string): Promise<Shown> =>
  seen(async () => {
    const row = await shown(daemon, id);
    return row.error?.code === 'QUARANTINED' && row;
  });

export async function newNode({ api }: DaemonProcess): Promise<string> {
  return (await api('POST', '/nodes', { type: 'compute', name: 'n' })).body.id;
}

export async function launchOn({ api }: DaemonProcess, node: string, graph: string): Promise<string> {
  const { status, body } = await api('POST', `/nodes/${node}/workflows?name=${graph}`, {});
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/** Does not wait for an answer: the daemon may die before it. */
export function notify({ southbound }: DaemonProcess, node: string): void {
  void southbound('POST', `/notification?nodeId=${node}`).catch(() => {});
}

export const act = ({ api }: DaemonProcess, id: string, command: string) =>
  api('PUT', `/workflows/${id}/action`, { command });

export async function metric({ api }: DaemonProcess, name: string): Promise<number> {
  const { body } = await api('GET', '/../../metrics');
  const line = String(body)
    .split('\n')
    .find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}
