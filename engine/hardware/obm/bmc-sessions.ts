/** The Redfish sessions of this process: one per BMC and user, kept while in use. */
import { createHash } from 'node:crypto';
import type { NoteSecret } from './note-secret.ts';
import { RedfishSession, type RedfishTarget } from './session.ts';

/** BMCs allow few sessions, about four: an idle one is closed soon. */
const IDLE_MS = 15_000;

interface HeldSession {
  session: RedfishSession;
  users: number;
  idle?: NodeJS.Timeout;
}

export class RedfishSessions {
  readonly #timeoutMs: number;
  readonly #idleMs: number;
  readonly #failed: (error: unknown) => void;
  readonly #held = new Map<string, HeldSession>();
  readonly #ending = new Set<Promise<void>>();

  /** @param failed receives the error of a session that could not be closed */
  constructor(timeoutMs: number, failed: (error: unknown) => void, idleMs = IDLE_MS) {
    this.#timeoutMs = timeoutMs;
    this.#idleMs = idleMs;
    this.#failed = failed;
  }

  /** @param note receives the session's secrets */
  async use<T>(target: RedfishTarget, note: NoteSecret, work: (session: RedfishSession) => Promise<T>): Promise<T> {
    const key = keyOf(target);
    const held = this.#held.get(key) ?? { session: new RedfishSession(target, this.#timeoutMs), users: 0 };
    this.#held.set(key, held);
    clearTimeout(held.idle);
    held.users += 1;
    try {
      return await work(held.session);
    } finally {
      for (const secret of held.session.secrets) note(secret);
      held.users -= 1;
      if (held.users === 0 && this.#held.get(key) === held) this.#startIdling(key, held);
    }
  }

  #startIdling(key: string, held: HeldSession): void {
    held.idle = setTimeout(() => this.#end(key, held), this.#idleMs);
  }

  #end(key: string, { session, idle }: HeldSession): void {
    clearTimeout(idle);
    this.#held.delete(key);
    const ending = session.close().catch(this.#failed);
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
