/** A workflow that kills daemons, and several of them on one Redis and one MongoDB: each dies of it at most once. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import {
  act,
  atOnce,
  launchOn,
  loopsUnless,
  metric,
  newNode,
  notify,
  putGraphs,
  quarantined,
  waitsThen,
} from '../support/data/hostile-graphs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { ended } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noServices, sharedServices } from '../support/servers/services.ts';

const test = needing(noServices);

const services = sharedServices();

test.serial(
  'a daemon that takes over a workflow dies of it once, and all daemons quarantine it when one of them is back',
  async (t) => {
    const graphs = folder(t);
    putGraphs(graphs, { 'loop.ts': waitsThen('Graph.Test.Loop', 'for (;;) {}') });
    const env = await services();
    const config = { ...folders, graphs: [...folders.graphs, graphs], stepLimitMs: 500 };
    const first = await startDaemonProcess(t, { env, config });
    const second = await startDaemonProcess(t, { env, config });
    const [node, other] = [await newNode(first), await newNode(first)];
    const id = await launchOn(first, node, 'Graph.Test.Loop');
    const good = await launchOn(first, other, 'Graph.Demo.InstallOs');
    notify(first, node);
    t.is(await first.ended(), null);
    // It finds the first daemon silent, runs the step in its place, and dies of it too.
    t.is(await second.ended(), null);

    await first.start();
    await quarantined(first, id);
    await second.start();
    const both: DaemonProcess[] = [first, second];
    for (const daemon of both) {
      t.is(daemon.errors.filter((line) => line.includes('has blocked the daemon')).length, 1);
      t.is(await metric(daemon, 'nodewright_workflows_quarantined'), 1);
      t.is((await daemon.southbound('POST', `/notification?nodeId=${other}`)).status, 201);
    }
    t.is((await ended(second, good)).status, 'succeeded');
    t.is((await act(second, id, 'cancel')).status, 202);
    await launchOn(second, node, 'Graph.noop-example');
  },
);

test.serial(
  'daemons quarantine a version that one of them died of, and all run it after its release by one',
  async (t) => {
    const graphs = folder(t);
    putGraphs(graphs, { 'first.ts': atOnce('Graph.Test.First', loopsUnless('released')) });
    const env = { ...(await services()), NODEWRIGHT_TEST_GRAPHS: graphs };
    const config = { ...folders, graphs: [...folders.graphs, graphs], stepLimitMs: 500 };
    const first = await startDaemonProcess(t, { env, config });
    const second = await startDaemonProcess(t, { env, config });
    const node = await newNode(second);
    const launchBy = ({ api }: DaemonProcess) => api('POST', `/nodes/${node}/workflows?name=Graph.Test.First`, {});
    void launchBy(first).catch(() => {});
    t.is(await first.ended(), null);
    await first.start();
    t.is((await launchBy(first)).status, 409);
    // A message from the first makes it read the verdict.
    t.like(await launchBy(second), { status: 409, body: { code: 'QUARANTINED' } });
    const path = '/workflows/graphs/Graph.Test.First/versions';
    const [version] = (await first.api('GET', path)).body as unknown as { hash: string; quarantine: object | null }[];
    t.truthy(version?.quarantine);
    writeFileSync(join(graphs, 'released'), '');
    t.is((await second.api('PUT', `${path}/${version?.hash}/action`, { command: 'release' })).status, 202);
    t.like((await first.api('GET', path)).body, [{ quarantine: null }]);
    const launched = await launchBy(first);
    t.is(launched.status, 201);
    t.is((await ended(second, launched.body.id)).status, 'succeeded');
  },
);
