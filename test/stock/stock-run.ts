/** One graph on one machine: launched, watched to its end, and judged by what it changed. */
import type { LedgerLine } from '../../engine/hardware/twin/machine/ledger.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { ended, seen } from '../support/faults/workload.ts';
import { type Condition, conditions, EXAMPLE_SERVER, type StockOptions } from './conditions.ts';
import type { OutsideServices } from './outside-services.ts';
import type { StockGraph } from './stock-graphs.ts';
import type { StockMachine, Traces } from './stock-machine.ts';

/**
 * `did its job`: it succeeded, and the ledger or a record says that it changed what it is for; `without effect`: it succeeded, and none does;
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
  outside: OutsideServices;
  /** Options of the first example of a graph that ships. */
  exampleOf(graph: string): StockOptions;
  /** A graph that takes longer hangs. */
  limitMs: number;
}

export async function runStock(
  { name, example }: StockGraph,
  machine: StockMachine,
  { files, outside, exampleOf, limitMs }: StockSite,
): Promise<StockRow> {
  const condition = conditions[name];
  const row = (outcome: StockOutcome, why: string, ledger: string[] = []): StockRow => ({
    graph: name,
    example,
    outcome,
    why: why === '' ? (condition?.reason ?? '') : why,
    ledger,
  });
  const optionsOf = (graph: string, given: StockOptions): StockOptions =>
    local({ ...given, ...conditions[graph]?.options?.(machine.bmc, outside) }, files);
  try {
    const node = await machine.node();
    await prepare(machine, node, outside, condition);
    if (condition?.before !== undefined) {
      const { before } = condition;
      const { id, problem } = await launched(machine, node, before, optionsOf(before, exampleOf(before)));
      if (id === undefined) return row('refused', `${before} before it: ${problem}`);
      const { status } = await ended(machine.daemon, id);
      if (status !== 'succeeded') return row('failed', `${before} before it has ${status}`);
      await machine.node();
    }
    const lines = machine.ledger().length;
    const traces = await machine.traces(node);
    const { id, problem } = await launched(machine, node, name, optionsOf(name, example));
    if (id === undefined) return row('refused', problem);
    if (condition?.meanwhile !== undefined) await outsideWorld[condition.meanwhile](machine, node, id);
    const last = await ended(machine.daemon, id, limitMs).catch(() => undefined);
    const changes = [
      ...done(machine.ledger().slice(lines)),
      ...changed(traces, await machine.traces(node)),
      ...outside.changes.filter((change) => change.includes(name)),
    ];
    if (last === undefined) return row('hangs', await whyOf(machine, id), changes);
    if (last.status !== 'succeeded')
      return row('failed', last.error === null ? last.status : errorOf(last.error), changes);
    const isJob = condition?.job ?? BEYOND_POWER;
    return row(changes.some((change) => isJob.test(change)) ? 'did its job' : 'without effect', '', changes);
  } catch (error) {
    return row('hangs', (error as Error).message);
  }
}

async function prepare(
  { daemon }: StockMachine,
  node: string,
  outside: OutsideServices,
  { files = {}, newSku, isSwitch }: Partial<Condition> = {},
) {
  if (isSwitch === true) {
    await daemon.api('PUT', '/ibms', { nodeId: node, service: 'snmp-ibm-service', config: outside.switch });
  }
  for (const [file, text] of Object.entries(files)) {
    const { url, headers } = daemon.authorized(`/files/${file}`);
    const type = { 'content-type': 'application/octet-stream' };
    const { status } = await fetch(url, { method: 'PUT', headers: { ...headers, ...type }, body: text });
    if (status !== 201) throw new Error(`PUT /files/${file}: ${status}`);
  }
  if (newSku !== true) return;
  const { body } = await daemon.api('GET', `/nodes/${node}/catalogs/dmi`);
  const serial = body.data['System Information']['Serial Number'];
  const rules = [{ path: 'dmi.System Information.Serial Number', equals: serial }];
  await daemon.api('POST', '/skus', { name: `made for ${serial}`, rules });
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

const notifyUntilEnd = ({ daemon }: StockMachine, node: string, id: string) =>
  seen(async () => {
    await daemon.southbound('POST', `/notification?nodeId=${node}`);
    const { body } = await daemon.api('GET', `/workflows/${id}`);
    return !['pending', 'running'].includes(body.status);
  }, WAIT_MS);

/** Events outside of the daemon, while the workflow runs. */
const outsideWorld: Record<
  NonNullable<Condition['meanwhile']>,
  (machine: StockMachine, node: string, id: string) => Promise<unknown>
> = {
  restart: (machine) => machine.restart(),
  notifications: notifyUntilEnd,
  async 'notifications once booted'(machine, node, id) {
    const lines = machine.ledger().length;
    await seen(
      async () =>
        machine
          .ledger()
          .slice(lines)
          .some(({ kind }) => kind === 'boot'),
      WAIT_MS,
    );
    await notifyUntilEnd(machine, node, id);
  },
};

async function whyOf({ daemon }: StockMachine, id: string): Promise<string> {
  const { body } = await daemon.api('GET', `/workflows/${id}/why`);
  const waits = (body.waits as { label: string | null; detail: string }[]) ?? [];
  return waits.map(({ label, detail }) => `${label ?? 'the graph'}: ${detail}`).join('; ');
}

/** For most graphs, power and boots are means. */
const BEYOND_POWER = /^(?!power: |boot: |bmc: override$)/;

/** They come first. */
const LASTING: readonly LedgerLine['kind'][] = ['erase', 'install', 'update', 'volume', 'account', 'burn-in', 'file'];

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
