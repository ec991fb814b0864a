/**
 * The gates of BMCs: the circuit breakers of all processes, as users see them.
 *
 * 1. A process stores the state of its own breakers every two seconds, if it has changed: commands that are over sooner
 *    leave no trace. The records of a process that sends no heartbeats are deleted by the next reader. That a BMC has answered
 *    again, and nothing more, is stored every five minutes: thousands of BMCs are polled each minute.
 * 2. Each address has a breaker. A host is shown as one BMC with its ports; its circuit is open while all of them are.
 * 3. `reset` closes the circuit in every process that is connected at this moment; in another one it closes by itself.
 *    Each then begins the attempts that wait for the BMC: one that finds the circuit of another process open waits again,
 *    and that process begins it once more.
 */
import type { Cluster } from '../../platform/cluster/cluster.ts';
import { isoOf, now } from '../../platform/lib/clock.ts';
import { groupBy } from '../../platform/lib/group-by.ts';
import { intervalWhile, Reconciler } from '../../platform/lib/reconciler.ts';
import type { Channel } from '../../platform/queue/port.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection, CollectionSpec, Filter } from '../../platform/store/port.ts';
import type { BreakerState } from './circuit-breaker.ts';
import type { CircuitBreakers } from './circuit-breakers.ts';

/** The commands of one address of a BMC, over all processes. */
export interface BmcEndpoint {
  /** `host:port`, or the origin of a Redfish service. */
  address: string;
  port: number;
  /** Commands that run, and that wait for their turn. */
  running: number;
  waiting: number;
  /** Commands in a row that got no answer. */
  failures: number;
  /** ISO 8601: no command is sent until then; null: commands are sent. */
  retryAt: string | null;
  /** ISO 8601; null: unknown. */
  lastAnswerAt: string | null;
}

/** The BMC at one host. `retryAt`: the first of its ports, if all circuits are open; `failures`: of the worst port. */
export interface BmcGate extends Omit<BmcEndpoint, 'address' | 'port'> {
  /** Its host. */
  id: string;
  host: string;
  ports: BmcEndpoint[];
}

const WRITE_INTERVAL_MS = 2_000;
const ANSWERED_MS = 300_000;

export const gateSpec: CollectionSpec = {
  name: 'gates',
  indexes: { process: 'text', host: 'text', retryAt: 'number' },
};

/** The state of an address in one process. */
export interface StoredGate extends BreakerState {
  /** Process and address. */
  id: string;
  version: number;
  process: string;
  host: string;
  address: string;
}

/** Whether the circuit of a host is open in this process. */
export interface HostCircuit {
  host: string;
  isOpen: boolean;
}

/** Called when circuits open, and when a BMC answers again, or still does after some minutes; a failed call is repeated. */
export type CircuitsChanged = (circuits: readonly HostCircuit[]) => Promise<void>;

/** The user who closes a circuit; absent: unknown. */
interface Reset {
  host: string;
  by?: string;
}

/** Begins the attempts that wait for a BMC (`workflows/requests/workflow-commands.ts`). */
export type CircuitClosed = (host: string, by: string | undefined) => Promise<void>;

export class BmcGates {
  readonly #breakers: CircuitBreakers;
  readonly #stored: Collection<StoredGate>;
  readonly #channel: Channel<Reset>;
  readonly #cluster: Pick<Cluster, 'id' | 'isHeard'>;
  readonly #reconciler: Reconciler<'reset'>;
  readonly #failed: (error: unknown) => void;
  #circuitClosed: CircuitClosed = async () => {};
  #circuitsChanged: CircuitsChanged = async () => {};
  #unsubscribe: (() => Promise<void>) | undefined;
  /** By address: what is stored, as JSON. */
  #written = new Map<string, string>();
  /** How often the breakers were used, and how often when the stored states were read. */
  #uses = 0;
  #usesWritten = -1;

  constructor(
    breakers: CircuitBreakers,
    stored: Collection<StoredGate>,
    channel: Channel<Reset>,
    cluster: Pick<Cluster, 'id' | 'isHeard'>,
    failed: (error: unknown) => void,
  ) {
    this.#breakers = breakers;
    this.#stored = stored;
    this.#channel = channel;
    this.#cluster = cluster;
    this.#failed = failed;
    this.#reconciler = new Reconciler({
      name: 'gates',
      everyMs: intervalWhile(() => this.#usesWritten !== this.#uses || !breakers.isIdle, WRITE_INTERVAL_MS),
      pass: () => this.#write(),
      failed,
    });
    breakers.onUse(() => {
      this.#uses += 1;
      this.#reconciler.shortenWait();
    });
  }

  onCircuitClosed(circuitClosed: CircuitClosed): void {
    this.#circuitClosed = circuitClosed;
  }

  onCircuitsChanged(circuitsChanged: CircuitsChanged): void {
    this.#circuitsChanged = circuitsChanged;
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#channel.subscribe(({ host, by }) => {
      this.#reset(host, by).catch(this.#failed);
    });
    this.#reconciler.start();
  }

  async #write(): Promise<void> {
    const uses = this.#uses;
    const states = this.#breakers.states();
    const texts = new Map([...states].map(([address, state]) => [address, textOf(state)]));
    const changed = [...states].filter(([address]) => texts.get(address) !== this.#written.get(address));
    const version = now();
    if (changed.length > 0) {
      await this.#stored.put(changed.map(([address, state]) => ({ ...this.#hostOf(address), version, ...state })));
      await this.#circuitsChanged(circuitsOf(new Set(changed.map(([address]) => hostIn(address))), states));
    }
    const gone = [...this.#written.keys()].filter((address) => !states.has(address));
    if (gone.length > 0) await this.#stored.remove({ id: { $in: gone.map((address) => this.#hostOf(address).id) } });
    this.#written = texts;
    this.#usesWritten = uses;
  }

  #hostOf(address: string) {
    const process = this.#cluster.id;
    return { id: `${process} ${address}`, process, address, host: hostIn(address) };
  }

  /** The BMCs that any process has sent commands to. */
  async all(): Promise<BmcGate[]> {
    const states = this.#breakers.states();
    for (const { address, ...state } of await this.#others({}))
      states.set(address, mergeStates(states.get(address), state));
    const ports = [...states].map(([address, state]) => endpointOf(address, state));
    const hosts = [...groupBy(ports, ({ address }) => hostIn(address))];
    return hosts.map(([host, endpoints]) => gateOf(host, endpoints)).sort((a, b) => (a.host < b.host ? -1 : 1));
  }

  /** Returns the number of BMCs with an open circuit. */
  async openCircuits(): Promise<number> {
    return new Set([...(await this.openAddresses())].map(hostIn)).size;
  }

  /** Returns the addresses to which no process sends commands for some time. */
  async openAddresses(): Promise<Set<string>> {
    const openEntries = [...this.#breakers.states()].filter(([, { retryAt }]) => retryAt !== null);
    const others = await this.#others({ retryAt: { $gt: now() } });
    return new Set([...openEntries.map(([address]) => address), ...others.map(({ address }) => address)]);
  }

  /** @param address as circuit breakers know it */
  async of(address: string): Promise<BmcEndpoint> {
    const others = (await this.#others({ host: hostIn(address) })).filter((gate) => gate.address === address);
    return endpointOf(address, others.reduce<BreakerState>(mergeStates, this.#breakers.stateOf(address)));
  }

  async #others(filter: Filter): Promise<StoredGate[]> {
    const alive = new Map<string, boolean>([[this.#cluster.id, false]]);
    const storedGates: StoredGate[] = [];
    for await (const gate of pages(this.#stored, filter)) {
      const { process } = gate;
      if (!alive.has(process)) alive.set(process, await this.#isHeard(process));
      if (alive.get(process)) storedGates.push(gate);
    }
    return storedGates;
  }

  async #isHeard(process: string): Promise<boolean> {
    const heard = await this.#cluster.isHeard(process);
    if (!heard) await this.#stored.remove({ process });
    return heard;
  }

  async reset(host: string, by?: string): Promise<boolean> {
    const isOwn = [...this.#breakers.states().keys()].some((address) => hostIn(address) === host);
    if (!isOwn && (await this.#others({ host })).length === 0) return false;
    await this.#channel.publish({ host, ...(by !== undefined && { by }) });
    await this.#reset(host, by);
    return true;
  }

  async #reset(host: string, by: string | undefined): Promise<void> {
    this.#breakers.reset((address) => hostIn(address) === host);
    void this.#reconciler.request('reset');
    await this.#circuitClosed(host, by);
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
    await this.#reconciler.close();
    await this.#stored.remove({ process: this.#cluster.id }).catch(() => {}); // the next reader deletes them
  }
}

/** Returns the host in an address of a BMC, `host:port` or an origin, as `obms` name it. */
export function hostIn(address: string): string {
  if (URL.canParse(address) && address.includes('://')) return new URL(address).hostname.replace(/^\[|\]$/g, '');
  const at = address.lastIndexOf(':');
  return (at < 0 ? address : address.slice(0, at)).toLowerCase();
}

/** Leaves out those of which it is not certain: commands fail, and the circuit is still closed. */
function circuitsOf(hosts: ReadonlySet<string>, states: ReadonlyMap<string, BreakerState>): HostCircuit[] {
  const ports = [...states].map(([address, state]) => ({ host: hostIn(address), state }));
  return groupBy(
    ports.filter(({ host }) => hosts.has(host)),
    ({ host }) => host,
  ).flatMap(([host, each]): HostCircuit[] => {
    if (each.every(({ state }) => state.retryAt !== null)) return [{ host, isOpen: true }];
    const answers = each.some(({ state: { failures, lastAnswerAt } }) => failures === 0 && lastAnswerAt !== null);
    return answers ? [{ host, isOpen: false }] : [];
  });
}

/** Returns the port of an address. */
function portIn(address: string): number {
  if (!(URL.canParse(address) && address.includes('://'))) return Number(address.slice(address.lastIndexOf(':') + 1));
  const { port, protocol } = new URL(address);
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** Implements rule 1: equal texts are not stored again. */
function textOf(state: BreakerState): string {
  const { running, waiting, failures, lastAnswerAt } = state;
  const isIdle = running + waiting + failures === 0;
  if (!isIdle || lastAnswerAt === null) return JSON.stringify(state);
  return JSON.stringify({ ...state, lastAnswerAt: Math.floor(lastAnswerAt / ANSWERED_MS) });
}

const latestTime = (times: readonly (number | null)[]): number | null => {
  const knownTimes = times.filter((time) => time !== null);
  return knownTimes.length === 0 ? null : Math.max(...knownTimes);
};

/** One address in several processes. */
const mergeStates = (one: BreakerState | undefined, two: BreakerState): BreakerState => ({
  running: (one?.running ?? 0) + two.running,
  waiting: (one?.waiting ?? 0) + two.waiting,
  failures: Math.max(one?.failures ?? 0, two.failures),
  retryAt: latestTime([one?.retryAt ?? null, two.retryAt]),
  lastAnswerAt: latestTime([one?.lastAnswerAt ?? null, two.lastAnswerAt]),
});

/** A circuit may have closed since its process stored it. */
function endpointOf(address: string, { running, waiting, failures, retryAt, lastAnswerAt }: BreakerState): BmcEndpoint {
  const until = retryAt !== null && retryAt > now() ? retryAt : null;
  const times = { retryAt: isoOf(until), lastAnswerAt: isoOf(lastAnswerAt) };
  return { address, port: portIn(address), running, waiting, failures, ...times };
}

/** Implements rule 2. */
function gateOf(host: string, ports: readonly BmcEndpoint[]): BmcGate {
  const totalOf = (count: (port: BmcEndpoint) => number) => ports.reduce((sum, port) => sum + count(port), 0);
  const retries = ports.map(({ retryAt }) => retryAt);
  const answers = ports.flatMap(({ lastAnswerAt }) => lastAnswerAt ?? []).sort();
  return {
    id: host,
    host,
    running: totalOf(({ running }) => running),
    waiting: totalOf(({ waiting }) => waiting),
    failures: Math.max(...ports.map(({ failures }) => failures)),
    retryAt: retries.includes(null) ? null : (retries.sort()[0] ?? null),
    lastAnswerAt: answers.at(-1) ?? null,
    ports: [...ports].sort((a, b) => a.port - b.port),
  };
}
