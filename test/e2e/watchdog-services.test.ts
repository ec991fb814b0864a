/** A workflow that kills daemons, and several of them on one Redis and one MongoDB: each dies of it at most once. */

import { folder } from '../support/ava/folder.ts';
import { needing } from '../support/ava/needs.ts';
import {
  act,
  launchOn,
  metric,
  newNode,
  notify,
  putGraphs,
  quarantined,
  waitsThen,
} from '../support/data/hostile-graphs.ts';
import { folders } from '../support/engine/engine.ts';
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
