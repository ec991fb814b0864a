/** One graph on one machine: launched, watched to its end, and judged by what it changed. */
import type { LedgerLine } from '../../engine/twin/machine/ledger.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { conditions, EXAMPLE_SERVER, type StockOptions } from './conditions.ts';
import type { StockGraph } from './stock-graphs.ts';
import type { StockMachine, Traces } from './stock-machine.ts';

/**
 * `did its job`: it succeeded, and the ledger or a record says what it changed; `without effect`: it succeeded, and none does;
 * `refused`: it could not be launched; `hangs`: it did not end in time.
 */
type StockOutcome = 'did its job' | 'without effect' | 'failed' | 'refused' | 'hangs';

export interface StockRow {
  graph: string;
  example: StockOptions;
  outcome: StockOutcome;
  /** An error, what it waits for, a condition that it needed; empty: nothing to say. */
  why: string;
  /** Lines of the ledger, such as `erase: sda scrub nnsa`; then other changes, such as `record: obms`. */
  ledger: string[];
}

export interface StockSite {
  /** The URL of the server that has the files of the examples. */
  files: string;
  /** Options of the first example of a graph that ships. */
  exampleOf(graph: string): StockOptions;
  /** A graph that takes longer hangs. */
  limitMs: number;
}

export async function runStock(
  { name, example }: StockGraph,
  machine: StockMachine,
  { files, exampleOf, limitMs }: StockSite,
): Promise<StockRow> {
  const condition = conditions[name];
  const row = (outcome: StockOutcome, why: string, ledger: string[] = []): StockRow => ({
    graph: name,
    example,
    outcome,
    why: why === '' ? (condition?.reason ?? '') : why,
    ledger,
  });
  try {
    const node = await machine.node();
    if (condition?.before !== undefined) {
      const { before } = condition;
      const { id, problem } = await launched(machine, node, before, local(exampleOf(before), files));
      if (id === undefined) return row('refused', `${before} before it: ${problem}`);
      const { status } = await ended(machine.daemon, id);
      if (status !== 'succeeded') return row('failed', `${before} before it has ${status}`);
      await machine.node();
    }
    const lines = machine.ledger().length;
    const traces = await machine.traces(node);
    const options = local({ ...example, ...condition?.options?.(machine.bmc) }, files);
    const { id, problem } = await launched(machine, node, name, options);
    if (id === undefined) return row('refused', problem);
    if (condition?.meanwhile !== undefined) await outsideWorld[condition.meanwhile](machine, node, id);
    const last = await ended(machine.daemon, id, limitMs).catch(() => undefined);
    const changes = [...done(machine.ledger().slice(lines)), ...changed(traces, await machine.traces(node))];
    if (last === undefined) return row('hangs', await whyOf(machine, id), changes);
    if (last.status !== 'succeeded')
      return row('failed', last.error === null ? last.status : errorOf(last.error), changes);
    return row(changes.length === 0 ? 'without effect' : 'did its job', '', changes);
  } catch (error) {
    return row('hangs', (error as Error).message);
  }
}

/** With the server of files that this computer has. */
const local = (options: StockOptions, files: string): StockOptions =>
  JSON.parse(JSON.stringify(options).replaceAll(EXAMPLE_SERVER, files));

async function launched(machine: StockMachine, node: string, graph: string, options: StockOptions) {
  const name = encodeURIComponent(graph);
  const { status, body } = await machine.daemon.api('POST', `/nodes/${node}/workflows?name=${name}`, { options });
  return status === 201 ? { id: body.id as string, problem: '' } : { id: undefined, problem: errorOf(body) };
}

const errorOf = ({ code, message }: { code: string; message: string }): string => `${code}: ${message}`;

/** Events outside of the daemon, while the workflow runs. */
const outsideWorld: Record<
  'restart' | 'notifications',
  (machine: StockMachine, node: string, id: string) => Promise<unknown>
> = {
  restart: (machine) => machine.restart(),
  notifications: ({ daemon }, node, id) =>
    seen(async () => {
      await daemon.southbound('POST', `/notification?nodeId=${node}`);
      const { body } = await daemon.api('GET', `/workflows/${id}`);
      return !['pending', 'running'].includes(body.status);
    }, WAIT_MS),
};

async function whyOf({ daemon }: StockMachine, id: string): Promise<string> {
  const { body } = await daemon.api('GET', `/workflows/${id}/why`);
  const waits = (body.waits as { label: string | null; detail: string }[]) ?? [];
  return waits.map(({ label, detail }) => `${label ?? 'the graph'}: ${detail}`).join('; ');
}

/** They come first. */
const LASTING: readonly LedgerLine['kind'][] = ['erase', 'install', 'update', 'account', 'burn-in'];

/** The commands that had an effect, without repeats: one that was ignored, or that changed nothing, had none. */
function done(lines: readonly LedgerLine[]): string[] {
  const effects = lines.filter(({ outcome, by }) => ['done', 'begun', 'stopped'].includes(outcome) && by !== 'twin');
  const kinds = [...LASTING, 'power', 'boot'];
  effects.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  return [...new Set(effects.map(({ kind, what }) => `${kind}: ${what}`))];
}

function changed(before: Traces, after: Traces): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.filter((name) => before.get(name) !== after.get(name));
}
