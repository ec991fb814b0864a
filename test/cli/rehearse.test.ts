/** The work of `nw rehearse`, on the backup of a real engine. */
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { rehearseOn } from '../../api/cli/store/rehearse.ts';
import type { RehearsalBody } from '../../engine/api-port/rehearsals.ts';
import { writeMockup } from '../../engine/hardware/twin/recorded/mockup-folder.ts';
import { createBackup, readConfig } from '../../engine/index.ts';
import type { JsonObject } from '../../engine/vocabulary/json.ts';
import { folder } from '../support/ava/folder.ts';
import { openEngine } from '../support/engine/engine.ts';

const REHEARSED = 'Graph.noop-example';
const EARLIER = 12;

test.serial(
  'durations are those of the runs in the backup, limits are those of its racks, and a held node is a rejection',
  async (t) => {
    const it = await openEngine();
    t.teardown(() => rm(it.dataDir, { recursive: true, force: true }));
    const nodes = [];
    for (let n = 0; n < EARLIER; n += 1) nodes.push(await it.node());
    const rack = await it.engine.nodes.create({ type: 'enclosure', name: 'rack' });
    const [held, ...free] = nodes.map(({ id }) => id) as [string, ...string[]];
    await it.engine.nodes.relate(rack.id, { encloses: [held, ...free] });
    const durations: number[] = [];
    for (const id of [held, ...free]) {
      const { startedAt, finishedAt } = await it.finished((await it.launch(REHEARSED, {}, id)).id);
      durations.push(Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? ''));
    }
    await it.engine.holds.add(held, { kind: 'repair', reason: 'a fan' }, 'tester');
    await it.engine.close();
    const backup = join(folder(t), 'backup.tar');
    await createBackup(readConfig({}, folder(t), { dataDir: it.dataDir }), backup);

    const body: RehearsalBody = {
      graph: REHEARSED,
      targets: { nodes: [held, ...free] },
      limits: { per: { enclosedBy: 1 } },
      seed: 7,
    };
    const { report, nameOf } = await rehearseOn(body, { from: backup, faults: 'measured' });
    t.is(report.basis, 'measured');
    t.deepEqual(report.peaks, [{ relation: 'enclosedBy', parent: rack.id, running: 1 }]);
    // One after the other, without the held one.
    t.true(
      report.durationMs.p50 >= free.length * Math.min(...durations) &&
        report.durationMs.p90 <= free.length * Math.max(...durations),
    );
    t.deepEqual(
      report.rejections.map(({ node, code }) => [node, code]),
      [[held, 'NODE_HELD']],
    );
    t.deepEqual([rack.id, held, 'gone'].map(nameOf), ['rack', nodes[0]?.name ?? '', 'gone']);

    const wrong = { ...body, targets: { nodes: [...free, 'unknown-node'] } };
    await t.throwsAsync(rehearseOn(wrong, { from: backup, faults: 'none' }), { message: /unknown-node/ });
    const spans = [{ days: ['sat' as const], from: '22:00', to: '24:00' }];
    const missing = { ...body, window: { zone: 'Nowhere', spans } };
    await t.throwsAsync(rehearseOn(missing, { from: backup, faults: 'none' }), { code: 'INVALID' } as never);
  },
);

test.serial(
  'without a backup the store of the configuration is copied, and recorded nodes take the durations of models',
  async (t) => {
    const it = await openEngine();
    t.teardown(() => rm(it.dataDir, { recursive: true, force: true }));
    const { id } = await it.node();
    await it.engine.close();
    const config = join(folder(t), 'config.json');
    writeFileSync(config, JSON.stringify({ dataDir: it.dataDir }));
    process.env.NODEWRIGHT_CONFIG = config;
    t.teardown(() => delete process.env.NODEWRIGHT_CONFIG);
    const body: RehearsalBody = {
      graph: REHEARSED,
      targets: { nodes: [id] },
      phases: [{ size: 'rest' }],
      ticket: 'any',
    };
    const { report } = await rehearseOn(body, { faults: 'measured' });
    t.like(report, { basis: 'models', rejections: [], left: 0 });
    t.is(report.phases[0]?.startedMs?.p50, 0);

    const recorded = folder(t);
    const linked = (path: string) => ({ '@odata.id': `/redfish/v1${path}` });
    const documents = new Map<string, JsonObject>([
      ['/redfish/v1', { Systems: linked('/Systems') }],
      ['/redfish/v1/Systems', { Members: [linked('/Systems/1')] }],
      ['/redfish/v1/Systems/1', { Manufacturer: 'Dell Inc.', Model: 'PowerEdge R650', SKU: 'R650' }],
    ]);
    for (const name of ['r01', 'r02']) await writeMockup(join(recorded, name), { documents });
    const { report: both } = await rehearseOn(
      { ...body, targets: { nodes: ['r01', 'r02'] } },
      { nodes: recorded, faults: 'none' },
    );
    t.like(both, { basis: 'models', rejections: [] });
  },
);
