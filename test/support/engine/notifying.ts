/** A real engine with both endpoints, and waiting workflows, for tests of notifications. */
import type { ExecutionContext } from 'ava';
import type { WorkflowRow } from '../../../engine/durable/step/row.ts';
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import { API_PATH } from '../data/api-paths.ts';
import { northbound, type Send, serve, southbound } from '../servers/api.ts';
import { openEngine, type TestEngine } from './engine.ts';

export const INSTALL = 'Graph.Demo.InstallOs';

/** With graphs of waits: `Graph.Test.Only` accepts callbacks only, `Graph.Test.Side` has two parallel waits. */
export async function openNotified(config: ConfigFile = {}): Promise<TestEngine> {
  const it = await openEngine(config);
  const wait = (label: string, more: object = {}) => ({ label, taskName: 'Task.Wait.Notification', ...more });
  const graphs = {
    'Graph.Test.Only': [wait('only', { optionOverrides: { callbackOnly: true } })],
    'Graph.Test.Side': [wait('a'), wait('b')],
    'Graph.Test.Agent': [wait('wait'), { label: 'run', taskName: 'Task.Linux.Commands' }],
    'Graph.Test.Booting': [
      wait('wait'),
      { label: 'boot', taskName: 'Task.Linux.Bootstrap' },
      { label: 'finish', taskName: 'Task.Trigger.Send.Finish', waitOn: { wait: 'succeeded' } },
    ],
  };
  for (const [injectableName, tasks] of Object.entries(graphs)) {
    await it.engine.library.putGraph({ friendlyName: injectableName, injectableName, tasks });
  }
  return it;
}

export interface Scene {
  it: TestEngine;
  node: string;
  id: string;
  south: Send;
  north: Send;
  port: number;
  as(role: string): Promise<string>;
  row(): Promise<WorkflowRow>;
  /** POSTs below `/notification`. */
  notify(query: string, body?: object, headers?: Record<string, string>): ReturnType<Send>;
  /** Returns the path of the callback of a label, as a user who may launch sees it. */
  callback(label: string): Promise<string>;
  state(label: string): Promise<string | undefined>;
}

/** Starts a graph on a new node. */
export async function scene(
  t: ExecutionContext,
  it: TestEngine,
  graph = INSTALL,
  options: Record<string, unknown> = {},
): Promise<Scene> {
  const north = await serve(t, northbound, it.engine);
  const south = await serve(t, southbound, it.engine);
  const { id: node } = await it.node();
  const { id } = await it.launch(graph, options, node);
  const row = () => it.get(id);
  return {
    it,
    node,
    id,
    row,
    south: south.send,
    north: north.send,
    port: south.port,
    as: north.as,
    notify: (query, body, headers = {}) =>
      south.send('POST', `${API_PATH}/notification${query}`, { headers, ...(body !== undefined && { body }) }),
    async callback(label) {
      const { body } = await north.send('GET', `${API_PATH}/workflows/${id}`, { token: await north.as('Operator') });
      const found = (body.tasks as { label: string; callback: string }[]).find((task) => task.label === label);
      return (found?.callback ?? '').replace(/^http:\/\/[^/]+/, '');
    },
    state: async (label) => (await it.states(id))[label],
  };
}
