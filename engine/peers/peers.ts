/** Cluster membership: the other processes on the same services. */
import type { Store } from '../store/port.ts';
import { type Duties, type Duty, dutySpec, SharedDuties } from './duties.ts';
import { type Beat, Presence, presenceSpec } from './presence.ts';

export interface Peers {
  /** Id of this process, as owner in records and in the queue. */
  readonly id: string;
  /** Single-node mode: there are no other processes, and never will be. */
  readonly alone: boolean;
  /** The previous instance on this data directory, which is dead. */
  readonly predecessor: string | undefined;
  readonly duties: Duties;
  /** Whether a process is alive; takes up to seconds. @throws when that cannot be determined */
  alive(id: string, signal: AbortSignal): Promise<boolean>;
  /** @param silent called once for each process that stops sending heartbeats: others may take over its jobs */
  start(silent: (id: string) => void): Promise<void>;
  close(): Promise<void>;
}

export async function openPeers(store: Store, id: string, predecessor: string | undefined): Promise<Peers> {
  const presence = new Presence(await store.collection<Beat>(presenceSpec), id);
  const duties = new SharedDuties(await store.collection<Duty>(dutySpec), id, (other) => presence.heard(other));
  return {
    id,
    alone: false,
    predecessor,
    duties,
    alive: (other, signal) => presence.alive(other, signal),
    start: (silent) => presence.start(predecessor, silent),
    close: () => presence.close(),
  };
}

/** Single-node mode: other owners are dead processes, and this process holds every lease. */
export const nobody = (id: string): Peers => ({
  id,
  alone: true,
  predecessor: undefined,
  duties: { take: async () => true, give: async () => {} },
  alive: async () => false,
  start: async () => {},
  close: async () => {},
});
