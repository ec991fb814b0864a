/** All graphs of a run, some dozens at a time: each set of machines has a daemon of its own. */
import { OwnScope } from '../support/ava/scope.ts';
import { conditions } from './conditions.ts';
import { importedGraphs } from './imported-graphs.ts';
import { type StockGraph, shippedGraphs } from './stock-graphs.ts';
import type { StockMachine } from './stock-machine.ts';
import { runStock, type StockRow } from './stock-run.ts';
import { type StockScene, stockScene } from './stock-scene.ts';

/** More machines would wait for the processors, and not for their BMCs. */
const AT_A_TIME = 24;

export interface StockPlan {
  /** Names; empty: all. */
  graphs: readonly string[];
  /** A checkout whose definitions are imported, and whose graphs are run too. */
  checkout?: string;
  /** A graph that takes longer hangs. */
  limitMs: number;
}

/** @param tell is called with each graph when it has ended @throws Error for a name that no graph has */
export async function stockRows(plan: StockPlan, tell: (row: StockRow) => void = () => {}): Promise<StockRow[]> {
  const { graphs, rejected } = await graphsOf(plan);
  const rows = [...rejected];
  for (let first = 0; first < graphs.length; first += AT_A_TIME) {
    rows.push(...(await runTogether(graphs.slice(first, first + AT_A_TIME), plan, tell)));
  }
  return rows.sort((a, b) => a.graph.localeCompare(b.graph));
}

/** Those that are launched, and rows of those that cannot be. */
async function graphsOf({ graphs: names, checkout }: StockPlan) {
  const imported = checkout === undefined ? { graphs: [], rejected: [] } : await inScene(importing(checkout));
  const all = [...shippedGraphs(), ...imported.graphs];
  const knownNames = [...all.map(({ name }) => name), ...imported.rejected.map(({ graph }) => graph)];
  const unknown = names.find((name) => !knownNames.includes(name));
  if (unknown !== undefined) throw new Error(`--graph: found ${unknown}, expected one of ${knownNames.join(', ')}`);
  const isWanted = (name: string) => names.length === 0 || names.includes(name);
  return {
    graphs: all.filter(({ name }) => isWanted(name)),
    rejected: imported.rejected.filter(({ graph }) => isWanted(graph)),
  };
}

const importing = (checkout: string) => (scene: StockScene) => importedGraphs(scene, checkout);

const runTogether = (graphs: readonly StockGraph[], plan: StockPlan, tell: (row: StockRow) => void) =>
  inScene(async (scene) => {
    if (plan.checkout !== undefined) await importedGraphs(scene, plan.checkout);
    // The last machines of a twin speak IPMI.
    const isIpmi = ({ name }: StockGraph) => conditions[name]?.isIpmi === true;
    const ordered = [...graphs.filter((graph) => !isIpmi(graph)), ...graphs.filter(isIpmi)];
    const machines = await scene.machines(ordered);
    const site = { files: scene.files, outside: scene.outside, exampleOf, limitMs: plan.limitMs };
    const run = async (machine: StockMachine, graph: StockGraph) => {
      const row = await runStock(graph, machine, site);
      tell(row);
      return row;
    };
    return Promise.all(machines.map((machine, place) => run(machine, ordered[place] as StockGraph)));
  });

const exampleOf = (graph: string) => shippedGraphs().find(({ name }) => name === graph)?.example ?? {};

async function inScene<T>(work: (scene: StockScene) => Promise<T>): Promise<T> {
  const scope = new OwnScope();
  try {
    return await work(await stockScene(scope));
  } finally {
    await scope.close();
  }
}
