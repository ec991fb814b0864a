/**
 * `npm run packs -- CHECKOUTS [PACK ...]`: whether the packs of RackHD match a node that was discovered. CHECKOUTS is a folder with on-tasks, on-taskgraph and
 * on-skupack. Each pack is imported, and a machine that it is for is discovered. Exit code 1: a pack matches none.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../support/ava/folder.ts';
import { OwnScope } from '../support/ava/scope.ts';
import { seen } from '../support/faults/workload.ts';
import { startAgent } from '../support/servers/twin-agent.ts';
import { importedGraphs } from './imported-graphs.ts';
import { type PackMachine, packMachines } from './pack-machines.ts';
import type { StockMachine } from './stock-machine.ts';
import { type StockScene, stockScene, twinOf } from './stock-scene.ts';

interface Sku {
  id: string;
  name: string;
}

interface Row {
  pack: string;
  /** The name of the node's SKU; '': none. */
  sku: string;
  matches: boolean;
}

/** A SKU may have the name of another one: those packs need a daemon each. */
const sameNames = ['brocade-VDX-6740T'];

const [checkouts, ...wanted] = process.argv.slice(2);
if (checkouts === undefined) {
  console.error('packs: expected a folder with on-tasks, on-taskgraph and on-skupack');
  process.exit(2);
}
const packs = readdirSync(join(checkouts, 'on-skupack')).filter(
  (name) => name in packMachines && (wanted.length === 0 || wanted.includes(name)),
);
const rows: Row[] = [];
for (const together of [packs.filter((name) => !sameNames.includes(name)), ...sameNames.map((name) => [name])]) {
  if (!together.some((name) => packs.includes(name))) continue;
  const scope = new OwnScope();
  try {
    rows.push(...(await rowsOf(scope, await stockScene(scope), checkouts, together)));
  } finally {
    await scope.close();
  }
}
for (const { pack, sku, matches } of rows) console.log(`${pack.padEnd(24)} ${matches ? 'matches' : 'no'}  ${sku}`);
const count = rows.filter(({ matches }) => matches).length;
console.log(`${count} of ${rows.length} packs match a node that was discovered`);
process.exit(count === rows.length ? 0 : 1);

async function rowsOf(scope: OwnScope, scene: StockScene, root: string, names: readonly string[]): Promise<Row[]> {
  const { daemon, nw } = scene;
  await importedGraphs(scene, root);
  const skus = new Map<string, Sku>();
  for (const name of names) {
    const { stderr } = await nw.run('import', 'rackhd', join(root, 'on-skupack', name));
    const { body } = await daemon.api('GET', '/skus');
    const earlier = [...skus.values()].map(({ id }) => id);
    const sku = (body as Sku[]).find(({ id }) => !earlier.includes(id));
    if (sku === undefined) console.error(`${name} was not imported: ${stderr}`);
    else skus.set(name, sku);
  }
  const home = folder(scope);
  const machines = names.filter((name) => packMachines[name]?.model !== undefined);
  const files = machines.map((name) => {
    const file = join(home, `${name}.json`);
    writeFileSync(file, JSON.stringify({ ...packMachines[name]?.model, name: name.toLowerCase() }));
    return file;
  });
  const twin = await twinOf(daemon, nw, { home, models: files, ipmi: 0 });
  const row = async (pack: string): Promise<Row> => {
    const machine = packMachines[pack] as PackMachine;
    const node = await (machine.pdu === undefined
      ? nodeOf(twin[machines.indexOf(pack)])
      : newPdu(scope, scene, machine));
    if (machine.asksAgent) await untilRead(scene, node);
    const sku = skus.get(pack);
    const isSku = async () => (await daemon.api('GET', `/nodes/${node}`)).body.sku === sku?.id;
    const matches = sku !== undefined && (await seen(isSku).catch(() => false));
    return { pack, sku: matches ? sku.name : '', matches };
  };
  return Promise.all(names.map(row));
}

async function nodeOf(machine: StockMachine | undefined): Promise<string> {
  if (machine === undefined) throw new Error('the twin has fewer machines than packs');
  return machine.node();
}

async function newPdu(scope: OwnScope, { daemon }: StockScene, { pdu }: PackMachine): Promise<string> {
  if (pdu === undefined) throw new Error('it is no PDU');
  const config = await startAgent(scope, pdu);
  const { body } = await daemon.api('POST', '/nodes', { name: pdu.system.name, type: 'pdu' });
  await daemon.api('PUT', '/ibms', { nodeId: body.id, service: 'snmp-ibm-service', config });
  return body.id;
}

/** Another workflow may be on the node at first. */
async function untilRead({ daemon }: StockScene, node: string): Promise<void> {
  await seen(async () => {
    const { status, body } = await daemon.api('POST', `/nodes/${node}/workflows`, { name: 'Graph.Snmp.Discovery' });
    if (status !== 201) return false;
    return seen(async () => (await daemon.api('GET', `/workflows/${body.id}`)).body.status === 'succeeded', 20_000);
  });
}
