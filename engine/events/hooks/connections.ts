/**
 * Connection pools to receivers, one per hook: a slow receiver cannot use up the connections of others, not
 * even those of another hook on the same host.
 */
import type { Agent } from 'undici';
import type { Egress } from '../../platform/lib/egress.ts';
import { undici } from '../../platform/lib/undici.ts';
import type { StoredHook } from './stored-hook.ts';

interface CachedAgent {
  agent: Agent;
  /** The settings that the agent was created with. */
  made: string;
}

export class ReceiverConnections {
  readonly #connections: number;
  readonly #timeoutMs: number;
  readonly #lookup: Egress['lookup'];
  readonly #cached = new Map<string, CachedAgent>();
  readonly #ending = new Set<Promise<void>>();

  /** @param connections maximum per hook */
  constructor(connections: number, timeoutMs: number, egress: Pick<Egress, 'lookup'>) {
    this.#lookup = egress.lookup;
    this.#connections = connections;
    this.#timeoutMs = timeoutMs;
  }

  async of({ id, address, ca, rejectUnauthorized }: StoredHook): Promise<Agent> {
    const { Agent } = await undici();
    const made = JSON.stringify([new URL(address).origin, ca, rejectUnauthorized]);
    const cached = this.#cached.get(id);
    if (cached?.made === made) return cached.agent;
    this.forget(id);
    const timeout = this.#timeoutMs;
    const agent = new Agent({
      connections: this.#connections,
      connect: { timeout, lookup: this.#lookup, rejectUnauthorized, ...(ca !== null && { ca }) },
    });
    this.#cached.set(id, { agent, made });
    return agent;
  }

  /** Destroys the hook's connections; its running requests fail. */
  forget(id: string): void {
    const cached = this.#cached.get(id);
    if (cached === undefined) return;
    this.#cached.delete(id);
    const ending: Promise<void> = cached.agent.destroy().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Destroys the connections of all hooks except these. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of [...this.#cached.keys()]) if (!ids.has(id)) this.forget(id);
  }

  async close(): Promise<void> {
    this.keep(new Set());
    await Promise.all(this.#ending);
  }
}
