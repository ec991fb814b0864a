/** A machine of the twin, its node, and what can be seen of both from outside. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerLine } from '../../engine/hardware/twin/machine/ledger.ts';
import type { MachineState } from '../../engine/hardware/twin/machine/machine-state.ts';
import { seen } from '../support/faults/workload.ts';
import type { DaemonProcess } from '../support/servers/daemon.ts';
import type { BmcAccess } from './conditions.ts';

/** Everything that a graph can change, as texts by name. */
export type Traces = ReadonlyMap<string, string>;

/** Kept by a BMC of its own accord, or a number that only counts. */
const ASIDE: readonly string[] = ['lastId', 'restartsUntil'];

export class StockMachine {
  readonly name: string;
  readonly bmc: BmcAccess;
  readonly daemon: DaemonProcess;
  readonly #data: string;

  constructor(daemon: DaemonProcess, data: string, name: string, bmc: BmcAccess) {
    this.daemon = daemon;
    this.name = name;
    this.bmc = bmc;
    this.#data = data;
  }

  /** Resolves with the node's id when it is discovered, has its obm, and is free. */
  node(): Promise<string> {
    return seen(async () => {
      const { body: nodes } = await this.daemon.api('GET', `/nodes?type=compute,switch&name=${this.name}`);
      const { id, obms, active } = nodes[0];
      if (obms.length === 0 || active !== null) return undefined;
      const { body: workflows } = await this.daemon.api('GET', `/nodes/${id}/workflows`);
      return workflows.length > 0 && (id as string);
    });
  }

  /** Returns the lines of the ledger, the oldest first. */
  ledger(): LedgerLine[] {
    return linesOf<LedgerLine>(join(this.#data, 'ledger.jsonl')).filter(({ machine }) => machine === this.name);
  }

  /** Returns what is on the node and on the BMC now. */
  async traces(node: string): Promise<Traces> {
    const { api } = this.daemon;
    const { body: record } = await api('GET', `/nodes/${node}`);
    const { body: catalogs } = await api('GET', `/nodes/${node}/catalogs`);
    const { body: pollers } = await api('GET', `/nodes/${node}/pollers`);
    const { body: obms } = await api('GET', `/obms?nodeId=${node}`);
    const sources = (catalogs as { source: string; id: string; updatedAt: string }[]).map(
      ({ source, id, updatedAt }) => [`catalog: ${source}`, `${id} ${updatedAt}`] as const,
    );
    const { pendingBios, log, lastEntry, ...state } = this.#state().bmc;
    // Values that are set, then applied by a restart, are one change. Of a log, only a clear is one.
    const derived = { bios: { ...state.bios, ...pendingBios }, log: lastEntry - log.length };
    const bmc = Object.entries({ ...state, ...derived }).filter(([name]) => !ASIDE.includes(name));
    return new Map([
      ...sources,
      ...['sku', 'identifiers', 'relations', 'tags', 'name'].map(
        (key) => [`record: ${key}`, JSON.stringify(record[key])] as const,
      ),
      ['record: pollers', JSON.stringify((pollers as { id: string }[]).map(({ id }) => id))],
      ['record: obms', JSON.stringify(obms)],
      ...bmc.map(([name, value]) => [`bmc: ${name}`, JSON.stringify(value)] as const),
    ]);
  }

  /** As its reset button does. */
  async restart(): Promise<void> {
    const { url, user, password } = this.bmc;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const systems = await fetch(`${url}/redfish/v1/Systems`, { headers });
    const { Members: members } = (await systems.json()) as { Members: { '@odata.id': string }[] };
    const action = `${members[0]?.['@odata.id']}/Actions/ComputerSystem.Reset`;
    const body = JSON.stringify({ ResetType: 'ForceRestart' });
    const { status } = await fetch(`${url}${action}`, { method: 'POST', headers, body });
    if (status >= 300) throw new Error(`${this.name} was not restarted: ${status}`);
  }

  #state(): MachineState {
    const states = linesOf<{ state?: MachineState }>(join(this.#data, 'state.jsonl'));
    const own = states.findLast(({ state }) => state?.name === this.name)?.state;
    if (own === undefined) throw new Error(`the twin has no machine ${this.name}`);
    return own;
  }
}

/** A last line that is not complete is being written. */
const linesOf = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
