/**
 * The gates of BMCs: the circuit breakers of all processes, as users see them.
 *
 * 1. A process stores the state of its own breakers every two seconds, if it has changed: commands that are over sooner
 *    leave no trace. The records of a process that sends no heartbeats are deleted by the next reader.
 * 2. `reset` closes the circuit in every process that is connected at this moment; in another one the rest ends by itself.
 *    Each then begins the attempts that wait for the BMC: one that found the circuit of another process open rests again,
 *    and that process begins it once more.
 */
import type { BmcGate, Bmcs } from '../api-port/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { isoOf, now } from '../lib/clock.ts';
import { Reconciler } from '../lib/reconciler.ts';
import type { Channel } from '../queue/port.ts';
import { pages } from '../store/pages.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';
import type { BreakerState } from './circuit-breaker.ts';
import type { CircuitBreakers } from './circuit-breakers.ts';

const EVERY_MS = 2_000;

export const gateSpec: CollectionSpec = { name: 'gates', indexes: { process: 'text', host: 'text' } };

/** The state of a host in one process. */
export interface StoredGate extends BreakerState {
  /** Process and host. */
  id: string;
  version: number;
  process: string;
  host: string;
}

/** The user who ends a rest; absent: unknown. */
interface Reset {
  host: string;
  by?: string;
}

/** Begins the attempts that wait for a BMC, in a layer above. */
export type RestEnded = (host: string, by: string | undefined) => Promise<void>;

export class BmcGates implements Bmcs {
  readonly #breakers: CircuitBreakers;
  readonly #stored: Collection<StoredGate>;
  readonly #channel: Channel<Reset>;
  readonly #cluster: Pick<Cluster, 'id' | 'heard'>;
  readonly #reconciler: Reconciler<'reset'>;
  readonly #failed: (error: unknown) => void;
  #restEnded: RestEnded = async () => {};
  #unsubscribe: (() => Promise<void>) | undefined;
  /** By host: what is stored, as JSON. */
  #written = new Map<string, string>();

  constructor(
    breakers: CircuitBreakers,
    stored: Collection<StoredGate>,
    channel: Channel<Reset>,
    cluster: Pick<Cluster, 'id' | 'heard'>,
    failed: (error: unknown) => void,
  ) {
    this.#breakers = breakers;
    this.#stored = stored;
    this.#channel = channel;
    this.#cluster = cluster;
    this.#failed = failed;
    this.#reconciler = new Reconciler({ name: 'gates', everyMs: EVERY_MS, pass: () => this.#write(), failed });
  }

  onRestEnded(restEnded: RestEnded): void {
    this.#restEnded = restEnded;
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#channel.subscribe(({ host, by }) => {
      this.#reset(host, by).catch(this.#failed);
    });
    this.#reconciler.start();
  }

  async #write(): Promise<void> {
    const own = this.#own();
    const texts = new Map([...own].map(([host, state]) => [host, JSON.stringify(state)]));
    const changed = [...own].filter(([host]) => texts.get(host) !== this.#written.get(host));
    const version = now();
    await this.#stored.put(changed.map(([host, state]) => ({ ...this.#named(host), version, ...state })));
    const gone = [...this.#written.keys()].filter((host) => !own.has(host)).map((host) => this.#named(host).id);
    if (gone.length > 0) await this.#stored.remove({ id: { $in: gone } });
    this.#written = texts;
  }

  #named(host: string) {
    const process = this.#cluster.id;
    return { id: `${process} ${host}`, process, host };
  }

  #own(): Map<string, BreakerState> {
    const states = new Map<string, BreakerState>();
    for (const [address, state] of this.#breakers.states()) {
      const host = hostIn(address);
      states.set(host, merged(states.get(host), state));
    }
    return states;
  }

  /** The BMCs with commands or failures in any process. */
  async all(): Promise<BmcGate[]> {
    const states = this.#own();
    for (const { host, ...state } of await this.#others({})) states.set(host, merged(states.get(host), state));
    return [...states].map(([host, state]) => shown(host, state)).sort((a, b) => (a.host < b.host ? -1 : 1));
  }

  /** @param address as circuit breakers know it */
  async of(address: string): Promise<BmcGate> {
    const host = hostIn(address);
    const others = await this.#others({ host });
    return shown(host, others.reduce<BreakerState>(merged, this.#breakers.stateOf(address)));
  }

  async #others(filter: { host?: string }): Promise<StoredGate[]> {
    const alive = new Map<string, boolean>([[this.#cluster.id, false]]);
    const found: StoredGate[] = [];
    for await (const gate of pages(this.#stored, filter)) {
      const { process } = gate;
      if (!alive.has(process)) alive.set(process, await this.#heard(process));
      if (alive.get(process)) found.push(gate);
    }
    return found;
  }

  async #heard(process: string): Promise<boolean> {
    const heard = await this.#cluster.heard(process);
    if (!heard) await this.#stored.remove({ process });
    return heard;
  }

  async reset(host: string, by?: string): Promise<boolean> {
    if (!(await this.all()).some((gate) => gate.host === host)) return false;
    await this.#channel.publish({ host, ...(by !== undefined && { by }) });
    await this.#reset(host, by);
    return true;
  }

  async #reset(host: string, by: string | undefined): Promise<void> {
    this.#breakers.reset((address) => hostIn(address) === host);
    void this.#reconciler.request('reset');
    await this.#restEnded(host, by);
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

const later = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b));

function merged(one: BreakerState | undefined, { running, waiting, failures, restsUntil, lastAnswerAt }: BreakerState) {
  if (one === undefined) return { running, waiting, failures, restsUntil, lastAnswerAt };
  return {
    running: one.running + running,
    waiting: one.waiting + waiting,
    failures: Math.max(one.failures, failures),
    restsUntil: later(one.restsUntil, restsUntil),
    lastAnswerAt: later(one.lastAnswerAt, lastAnswerAt),
  };
}

/** A rest may have ended since its process stored it. */
function shown(host: string, { running, waiting, failures, restsUntil, lastAnswerAt }: BreakerState): BmcGate {
  const until = restsUntil !== null && restsUntil > now() ? restsUntil : null;
  return { id: host, host, running, waiting, failures, restsUntil: isoOf(until), lastAnswerAt: isoOf(lastAnswerAt) };
}
