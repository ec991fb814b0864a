/**
 * Membership in memory: what heartbeats would say, without sending them. A daemon that died or is away is silent after as
 * long as `platform/cluster/membership.ts` takes to notice it, and gone after as long as that takes.
 */
import { type Cluster, leasedCluster } from '../../platform/cluster/cluster.ts';
import { type LeaseRecord, Leases, ownerOf } from '../../platform/cluster/leases.ts';
import { intervalOf } from '../../platform/lib/reconciler.ts';
import type { Link } from './daemon-link.ts';
import type { VirtualTime } from './virtual-time.ts';

const SILENT_MS = 2_400;
const GONE_MS = 8_000;
const ASK_MS = 400;

interface Member {
  link: Link;
  /** The time of its last heartbeat, in ms; undefined: it sends heartbeats. */
  unheardSince: number | undefined;
  /** When it was heard again, by `performance.now`. */
  backAt: number;
  silent: (id: string) => void;
}

export class MemoryCluster {
  readonly #time: VirtualTime;
  readonly #members = new Map<string, Member>();
  readonly #leases = new Map<string, string | null>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** The daemon has died, or is away from now on. */
  markUnheard(id: string): void {
    const member = this.#members.get(id);
    if (member === undefined || member.unheardSince !== undefined) return;
    const since = this.#time.now;
    member.unheardSince = since;
    this.#time.add(
      SILENT_MS,
      () => {
        if (member.unheardSince !== since) return;
        for (const [other, { link, silent }] of this.#members) {
          if (other !== id && !link.isAway) link.deliver(0, () => silent(id));
        }
      },
      '',
    );
  }

  /** The daemon is back. */
  markHeard(id: string): void {
    const member = this.#members.get(id);
    if (member === undefined || member.link.isCut || member.link.isAway) return;
    member.unheardSince = undefined;
    member.backAt = performance.now();
  }

  /** As one daemon has it. @param previousInstance a daemon that is known to be dead */
  through(id: string, link: Link, previousInstance: string | undefined): Cluster {
    const answer = (other: string) => this.#silentMs(other) < SILENT_MS && other !== previousInstance;
    // A daemon has counted the heartbeats of members itself, and asks about others only.
    const isHeard = async (other: string) =>
      this.#members.has(other) ? answer(other) : link.call('cluster heard', () => answer(other));
    const isAlive = async (other: string) => {
      for (;;) {
        const ms = await link.call('cluster alive', () => this.#silentMs(other));
        if (ms === 0 && other !== previousInstance) return true;
        if (ms >= GONE_MS || other === previousInstance) return false;
        await new Promise<void>((resolve) => link.deliver(ASK_MS, resolve));
      }
    };
    const leases = new Leases((name) => this.#lease(name, link), id, {
      isHeard,
      isAlive,
      heldHere: (name) => {
        const holder = this.#leases.get(name) ?? null;
        return holder !== null && ownerOf(holder) === id && !link.isAway ? holder : undefined;
      },
    });
    const cluster = leasedCluster(leases, {
      id,
      previousInstance,
      isHeard,
      isAlive,
      wasHeardSince: (since) => {
        const member = this.#members.get(id);
        return member?.unheardSince === undefined && (member?.backAt ?? since) < since;
      },
      start: async (silent) => {
        if (previousInstance !== undefined) this.#members.delete(previousInstance);
        await link.call('cluster join', () => {
          // It may arrive after the death of the daemon, which sends no other heartbeat.
          const unheardSince = link.isCut || link.isAway ? this.#time.now : undefined;
          this.#members.set(id, { link, unheardSince, backAt: Number.NEGATIVE_INFINITY, silent });
        });
        this.#releaseUnused(leases, id, link);
      },
      close: async () => {
        await link.call('cluster leave', () => this.#members.delete(id));
      },
    });
    // A world of days does not need a look every two seconds: what a dead daemon left waits longer, and nothing else changes.
    return {
      ...cluster,
      reconciler: (port) => cluster.reconciler({ ...port, everyMs: () => intervalOf(port) * PACE }),
    };
  }

  /** ms since a daemon was heard; one that is no member is gone. */
  #silentMs(id: string): number {
    const member = this.#members.get(id);
    if (member === undefined) return GONE_MS;
    return member.unheardSince === undefined ? 0 : this.#time.now - member.unheardSince;
  }

  #lease(name: string, link: Link): LeaseRecord {
    return {
      holder: () => link.call(`lease ${name}`, () => this.#leases.get(name) ?? null),
      change: (from, to) =>
        link.call(`lease ${name} change`, () => {
          const holder = this.#leases.get(name) ?? null;
          if (holder !== null && holder === to) return true;
          if (holder !== from) return false;
          this.#leases.set(name, to);
          return true;
        }),
    };
  }

  /** With each heartbeat of a real daemon; here as often as a lost release matters. */
  #releaseUnused(leases: Leases, id: string, link: Link): void {
    link.deliver(RELEASE_MS, () => {
      const held = [...this.#leases].filter(([, holder]) => holder !== null && ownerOf(holder) === id);
      void leases.releaseUnused(new Map(held as [string, string][])).catch(() => {});
      this.#releaseUnused(leases, id, link);
    });
  }
}

const RELEASE_MS = 10_000;
const PACE = 10;
