/** Cluster membership: the other processes on the same services, and what only one of them does at a time. */
import { type PassResult, Reconciler, type ReconcilerPort } from '../lib/reconciler.ts';
import { type LeaseRecord, Leases, unsharedLease } from './leases.ts';
import { type Heartbeats, Presence } from './membership.ts';

/** A reconciler of which one process makes the passes. `lease`: the name of its lease, `name` by default. */
type LeasedReconciler<R extends string> = Omit<ReconcilerPort<R>, 'acquire' | 'observe'> & { lease?: string };

type PassObserver = (name: string, result: PassResult, ms: number) => void;

export interface Cluster {
  /** Id of this process, as owner in records and in the queue. */
  readonly id: string;
  /** Single-node mode: there are no other processes, and never will be. */
  readonly singleNode: boolean;
  /** The previous instance on this data directory, which is dead. */
  readonly previousInstance: string | undefined;
  readonly leases: Leases;
  /** Returns a reconciler of which the holder of its lease makes the passes. */
  reconciler<R extends string = never>(port: LeasedReconciler<R>): Reconciler<R>;
  /** Has the observer called after each pass. */
  observePasses(observer: PassObserver): void;
  /** Whether a process has sent heartbeats lately. @throws NodewrightError UNAVAILABLE when that cannot be determined */
  isHeard(id: string): Promise<boolean>;
  /** Whether a process is alive; takes up to seconds. @throws when that cannot be determined */
  isAlive(id: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Whether no other process can have found this one gone since then: its heartbeats had no long gap, as of a process
   * that stood still. Ask after each wait, before the first thing that must not happen twice.
   * @param since by `performance.now`
   */
  wasHeardSince(since: number): boolean;
  /** @param silent called once for each process that stops sending heartbeats: others may take over its jobs */
  start(silent: (id: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** The heartbeats and leases that the processes of a cluster share. */
export interface SharedCluster {
  heartbeats: Heartbeats;
  leases(name: string): LeaseRecord;
  /** Ends the calls that are still pending. */
  close(): void;
}

export function openCluster(shared: SharedCluster, id: string, previousInstance: string | undefined): Cluster {
  const leases: Leases = new Leases(shared.leases, id, {
    isHeard: (other) => presence.isHeard(other),
    isAlive: (other, signal) => presence.isAlive(other, signal),
    heldHere: (name) => presence.heldHere(name),
  });
  const presence = new Presence(shared.heartbeats, id, (held) => leases.releaseUnused(held));
  return leasedCluster(leases, {
    id,
    previousInstance,
    isHeard: (other) => presence.isHeard(other),
    isAlive: (other, signal) => presence.isAlive(other, signal),
    wasHeardSince: (since) => presence.wasHeardSince(since),
    start: (silent) => presence.start(previousInstance, silent),
    close: () => presence.close(shared.close),
  });
}

type Membership = Pick<
  Cluster,
  'id' | 'previousInstance' | 'isHeard' | 'isAlive' | 'wasHeardSince' | 'start' | 'close'
>;

/** A cluster of several processes. */
export const leasedCluster = (leases: Leases, membership: Membership): Cluster => ({
  singleNode: false,
  leases,
  ...reconciling(leases),
  ...membership,
});

/** Single-node mode: other owners are dead processes, and this process holds every lease. */
export function singleNodeCluster(id: string): Cluster {
  const leases = new Leases(unsharedLease, id, { isHeard: async () => false, isAlive: async () => false });
  return {
    id,
    singleNode: true,
    previousInstance: undefined,
    leases,
    ...reconciling(leases),
    isHeard: async (other) => other === id,
    isAlive: async () => false,
    wasHeardSince: () => true,
    start: async () => {},
    close: async () => {},
  };
}

function reconciling(leases: Leases): Pick<Cluster, 'reconciler' | 'observePasses'> {
  let observer: PassObserver = () => {};
  return {
    reconciler: ({ lease, ...port }) =>
      new Reconciler({
        ...port,
        acquire: () => leases.acquireForPasses(lease ?? port.name),
        observe: (name, result, ms) => observer(name, result, ms),
      }),
    observePasses(given) {
      observer = given;
    },
  };
}
