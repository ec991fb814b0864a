/** Graph.Baseline.Apply on a machine whose agent answers: devices are updated in band, after the BMC, once, and only if they differ. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { factsOfMachine } from '../../engine/hardware/twin/machine/machine-facts.ts';
import { startTwinBmc } from '../support/bmcs/twin-bmc.ts';
import { serve, southbound } from '../support/servers/api.ts';
import { sharedEngine } from '../support/servers/shared-resources.ts';
import { serveImages } from '../support/servers/source.ts';
import { newState, smallModel, TwinMachine } from '../support/twin/twin-machine.ts';

const test = anyTest as TestFn;
const engine = sharedEngine({ obm: { timeoutMs: 20_000 } });

const FIRMWARE = 'firmware';
const sha256 = createHash('sha256').update(FIRMWARE).digest('hex');
const flash = { kind: 'nvme' as const, model: 'Flash 1*', version: 'F2', file: 'F2.bin', sha256 };
const disk = { kind: 'sas' as const, model: 'SAS 2T', version: 'S2', file: 'S2.bin', sha256 };
const IMAGE = 'bmc-10.1.bin';
const bmcAt = (images: string) => ({ component: 'BMC', version: '10.1', image: `${images}/${IMAGE}` });

const often = { lookEveryMs: 20 };
const options = { update: often, verify: often };

/** A machine with a BMC, whose agent already asks, and the files of its drives. */
async function scene(t: ExecutionContext) {
  const it = await engine();
  const board = await startTwinBmc(t, { model: 'open-d54q' });
  const { port } = await serve(t, southbound, it.engine);
  const { id: node } = await it.node();
  await it.engine.obms.put(node, { service: 'redfish-obm-service', config: board.config });
  for (const name of [flash.file, disk.file])
    await it.engine.files.put({ kind: 'file', name, scope: null }, Readable.from([Buffer.from(FIRMWARE)]));
  const base = `http://127.0.0.1:${port}`;
  const state = newState(factsOfMachine(7, 0, smallModel));
  const cmdline = `nodewright.api=${base}/api/current nodewright.node=${node}`;
  state.phase = { name: 'agent', image: { kernel: 'vmlinuz', cmdline } };
  const twin = new TwinMachine({ base, state });
  t.teardown(() => twin.close());
  const run = async (compare: object) => {
    const { id } = await it.launch('Graph.Baseline.Apply', { ...options, compare: { ...compare } }, node);
    return it.finished(id);
  };
  const smart = (version: string) =>
    it.engine.catalogs.add(node, 'smart', {
      nvme0n1: { device: { protocol: 'NVMe' }, model_name: 'Flash 1T', firmware_version: version },
    });
  const resets = () => board.ledger.filter((line) => /^power reset .*On: done/.test(line)).length;
  return { it, node, board, twin, run, smart, resets };
}

const updatesIn = (twin: TwinMachine) => twin.lines('update');
const both = ['nvme0n1 nvme F2.bin: begun', 'nvme0n1 nvme F2.bin: done'].concat(
  ['begun', 'done'].map((outcome) => `sdb sg_write_buffer S2.bin: ${outcome}`),
);

test('drives that are not known are updated once, with one boot, after the BMC; a second launch boots nothing', async (t) => {
  const { it, node, board, twin, run, resets } = await scene(t);
  const goal = { firmware: [bmcAt(await serveImages(t, IMAGE))], inBand: [flash, disk] };
  const row = await run(goal);
  t.is(row.status, 'succeeded', JSON.stringify([row.error, twin.problems]));
  t.is(board.state.bmc.versions.BMC, '10.1');
  t.deepEqual(updatesIn(twin), both);
  t.is(resets(), 2, 'into the microkernel, and out of it');
  t.like((await it.engine.catalogs.latestOf(node, 'smart'))?.data, {
    nvme0n1: { firmware_version: 'F2' },
    sdb: { scsi_revision: 'S2' },
  });
  const again = await run(goal);
  t.deepEqual(again.output, { differences: [], restarted: false });
  t.deepEqual(updatesIn(twin), both);
  t.is(resets(), 2);
});

test('drives that have their version by the catalog need no boot; one that differs has its name in the output', async (t) => {
  const { twin, run, smart, resets } = await scene(t);
  await smart('F2');
  t.is((await run({ inBand: [flash] })).status, 'succeeded');
  t.is(resets(), 0);
  await smart('F1');
  t.like((await run({ inBand: [flash] })).output, {
    differences: [{ kind: 'nvme', name: 'Flash 1*', expected: 'F2', found: 'F1' }],
    restarted: true,
  });
  t.deepEqual(updatesIn(twin), both.slice(0, 2));
});

test('a node without a drive of the models is in line once it was asked', async (t) => {
  const { twin, run, resets } = await scene(t);
  const inBand = [{ ...flash, model: 'Flash 9' }];
  t.is((await run({ inBand })).status, 'succeeded');
  t.is(resets(), 2);
  t.is((await run({ inBand })).status, 'succeeded');
  t.is(resets(), 2);
  t.deepEqual(updatesIn(twin), []);
});

test('a file that is not stored is rejected before the BMC gets anything', async (t) => {
  const { board, twin, run } = await scene(t);
  const row = await run({ firmware: [bmcAt('http://127.0.0.1')], inBand: [flash, { ...disk, file: 'missing.bin' }] });
  t.like(row.error, { code: 'FIRMWARE_REJECTED' });
  t.regex(row.error?.message ?? '', /"missing\.bin" is not stored/);
  t.deepEqual([board.ledger, updatesIn(twin)], [[], []]);
});
