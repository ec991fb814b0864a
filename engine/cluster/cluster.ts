/** Cluster membership: the other processes on the same services. */
import type { Store } from '../store/port.ts';
import { type Lease, type Leases, leaseSpec, SharedLeases } from './leases.ts';
import { type Beat, Presence, presenceSpec } from './membership.ts';

export interface Cluster {
  /** Id of this process, as owner in records and in the queue. */
  readonly id: string;
  /** Single-node mode: there are no other processes, and never will be. */
  readonly singleNode: boolean;
  /** The previous instance on this data directory, which is dead. */
  readonly previousInstance: string | undefined;
  readonly leases: Leases;
  /** Whether a process is alive; takes up to seconds. @throws when that cannot be determined */
  alive(id: string, signal: AbortSignal): Promise<boolean>;
  /** @param silent called once for each process that stops sending heartbeats: others may take over its jobs */
  start(silent: (id: string) => void): Promise<void>;
  close(): Promise<void>;
}

export async function openCluster(store: Store, id: string, previousInstance: string | undefined): Promise<Cluster> {
  const presence = new Presence(await store.collection<Beat>(presenceSpec), id);
  const leases = new SharedLeases(await store.collection<Lease>(leaseSpec), id, (other) => presence.heard(other));
  return {
    id,
    singleNode: false,
    previousInstance,
    leases,
    alive: (other, signal) => presence.alive(other, signal),
    start: (silent) => presence.start(previousInstance, silent),
    close: () => presence.close(),
  };
}

/** Single-node mode: other owners are dead processes, and this process holds every lease. */
export const singleNodeCluster = (id: string): Cluster => ({
  id,
  singleNode: true,
  previousInstance: undefined,
  leases: { take: async () => true, give: async () => {} },
  alive: async () => false,
  start: async () => {},
  close: async () => {},
});
