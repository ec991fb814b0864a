/** The other processes on the same services, as the rest of the engine sees them. */
import type { Store } from '../store/port.ts';
import { type Duties, type Duty, dutySpec, SharedDuties } from './duties.ts';
import { type Beat, Presence, presenceSpec } from './presence.ts';

export interface Peers {
  /** This process, in claims and in the queue. */
  readonly id: string;
  /** There are no others, and never will be. */
  readonly alone: boolean;
  /** The process that had this data directory before: it is dead. */
  readonly predecessor: string | undefined;
  readonly duties: Duties;
  /** Whether a process is still there; takes up to seconds. @throws when that cannot be known */
  alive(id: string, signal: AbortSignal): Promise<boolean>;
  /** @param silent called once for each that falls silent: others may take over what it had in hand */
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

/** Alone, a claim of another process is one of the dead, and every duty is one's own. */
export const nobody = (id: string): Peers => ({
  id,
  alone: true,
  predecessor: undefined,
  duties: { take: async () => true, give: async () => {} },
  alive: async () => false,
  start: async () => {},
  close: async () => {},
});
