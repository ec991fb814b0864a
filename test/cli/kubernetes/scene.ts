/** A daemon's engine behind its interface, and a fake Kubernetes with an operator beside it. */
import type { ExecutionContext } from 'ava';
import { Client } from '../../../api/cli/client.ts';
import type { AdvanceOptions, ServerCluster } from '../../../api/cli/kubernetes/advance-server.ts';
import { installedOperator } from '../../../api/cli/kubernetes/installed-operator.ts';
import { Kubernetes } from '../../../api/cli/kubernetes/kubernetes-client.ts';
import { runRequests } from '../../../api/cli/kubernetes/run-requests.ts';
import type { ServerRow } from '../../../api/cli/kubernetes/server-rows.ts';
import { openEngine, type TestEngine } from '../../support/engine/engine.ts';
import { northbound, serve } from '../../support/servers/api.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../../support/servers/fake-kubernetes.ts';
import { operateIroncore, operateMetal3 } from '../../support/servers/fake-operators.ts';
import { Hearing } from '../../support/servers/hearing.ts';

export interface KubernetesScene {
  it: TestEngine;
  fake: FakeKubernetes;
  cluster: ServerCluster;
  /** Creates a node with this MAC. */
  addNode(name: string, mac: string): Promise<string>;
  /** Runs the requests until all are settled, or the signal. @returns the last rows */
  run(options?: Partial<AdvanceOptions>): Promise<ServerRow[]>;
  /** Serves requests until the end of the test; its rows are heard as they come. */
  watch(options?: Partial<AdvanceOptions>): { rows: Hearing<ServerRow>; notes: string[]; stop(): Promise<void> };
  workflows(): Promise<{ id: string; status: string; injectableName: string }[]>;
}

export const WAITING_GRAPH = 'Graph.Parked.Wait';
export const FAILING_GRAPH = 'Graph.Parked.Fail';

const graphs = [
  {
    friendlyName: 'Wait',
    injectableName: WAITING_GRAPH,
    tasks: [{ label: 'report', taskName: 'Task.Wait.Notification' }],
  },
  { friendlyName: 'Fail', injectableName: FAILING_GRAPH, tasks: [{ label: 'breaks', taskName: 'Task.Fixture.Fail' }] },
];

const advanceOptions: AdvanceOptions = {
  origin: 'https://nw.example',
  returnsFailed: false,
  createsNodes: false,
  isDry: false,
};

export async function kubernetesScene(
  t: ExecutionContext,
  group: 'metal3.io' | 'metal.ironcore.dev',
): Promise<KubernetesScene> {
  const it = await openEngine();
  t.teardown(() => it.close());
  const { port, as } = await serve(t, northbound, it.engine);
  const fake = await startFakeKubernetes(t, group);
  (group === 'metal3.io' ? operateMetal3 : operateIroncore)(fake);
  const stop = new AbortController();
  const kubernetes = new Kubernetes({ url: fake.url, token: () => fake.token, ca: undefined }, stop.signal);
  const client = new Client({ url: `http://127.0.0.1:${port}`, token: await as('Administrator'), ca: undefined });
  t.teardown(async () => {
    stop.abort();
    await Promise.all([client.close(), kubernetes.close()]);
  });
  for (const body of graphs) await client.put('/workflows/graphs', { body });
  const cluster: ServerCluster = {
    client,
    kubernetes,
    operator: await installedOperator(kubernetes),
    signal: stop.signal,
  };
  const request = (options: Partial<AdvanceOptions>) => ({
    namespace: undefined,
    selector: undefined,
    advance: { ...advanceOptions, ...options },
    pollMs: 50,
  });
  return {
    it,
    fake,
    cluster,
    addNode: async (name, mac) => (await it.engine.nodes.create({ type: 'compute', name, identifiers: [mac] })).id,
    run: (options = {}) =>
      runRequests(cluster, { ...request(options), endsWhenSettled: true, show: () => {}, note: () => {} }),
    watch(options = {}) {
      const end = new AbortController();
      const rows = new Hearing<ServerRow>();
      const notes: string[] = [];
      const signal = AbortSignal.any([stop.signal, end.signal]);
      const ended = runRequests(
        { ...cluster, signal },
        {
          ...request(options),
          endsWhenSettled: false,
          show: (row) => rows.add(row),
          note: (text) => notes.push(text),
        },
      ).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      t.teardown(() => end.abort());
      return {
        rows,
        notes,
        stop: async () => {
          end.abort();
          await ended;
        },
      };
    },
    workflows: async () => (await client.get('/workflows', { query: { sort: 'createdAt' } })).body,
  };
}
