/** The Redfish sessions of this process: one per BMC and user, kept while in use. */
import { createHash } from 'node:crypto';
import type { NoteSecret } from './note-secret.ts';
import { RedfishSession, type RedfishTarget } from './session.ts';

/** BMCs allow few sessions, about four: an idle one is closed soon. */
const IDLE_MS = 15_000;

interface Held {
  session: RedfishSession;
  users: number;
  idle?: NodeJS.Timeout;
}

export interface SessionsPort {
  timeoutMs: number;
  idleMs?: number;
  /** Reports a session that could not be closed. */
  failed(error: unknown): void;
}

export class RedfishSessions {
  readonly #port: SessionsPort;
  readonly #held = new Map<string, Held>();
  readonly #ending = new Set<Promise<void>>();

  constructor(port: SessionsPort) {
    this.#port = port;
  }

  /** @param note receives the session's secrets */
  async use<T>(target: RedfishTarget, note: NoteSecret, work: (session: RedfishSession) => Promise<T>): Promise<T> {
    const key = keyOf(target);
    const held = this.#held.get(key) ?? { session: new RedfishSession(target, this.#port.timeoutMs), users: 0 };
    this.#held.set(key, held);
    clearTimeout(held.idle);
    held.users += 1;
    try {
      return await work(held.session);
    } finally {
      for (const secret of held.session.secrets) note(secret);
      held.users -= 1;
      if (held.users === 0 && this.#held.get(key) === held) this.#rest(key, held);
    }
  }

  #rest(key: string, held: Held): void {
    held.idle = setTimeout(() => this.#end(key, held), this.#port.idleMs ?? IDLE_MS);
  }

  #end(key: string, { session, idle }: Held): void {
    clearTimeout(idle);
    this.#held.delete(key);
    const ending = session.close().catch(this.#port.failed);
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }

  /** Resolves when all sessions of this process are closed, or closing them failed. */
  async close(): Promise<void> {
    for (const [key, held] of this.#held) this.#end(key, held);
    await Promise.all(this.#ending);
  }
}

/** The key includes the password: a request with another password must not use an open session. */
const keyOf = (target: RedfishTarget): string => createHash('sha256').update(JSON.stringify(target)).digest('hex');
