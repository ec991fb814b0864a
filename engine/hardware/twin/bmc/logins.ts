/**
 * Sessions and basic authentication of one BMC, and accounts that are locked after wrong passwords. All of it is in
 * memory, and made when it is first needed; a BMC that restarts forgets it.
 */
import { randomBytes } from 'node:crypto';
import type { AccountState } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { BmcRejection } from './bmc-rejection.ts';
import type { BmcPrivilege, BmcRequest } from './bmc-request.ts';

export interface BmcSession {
  id: string;
  token: string;
  user: string;
  created: number;
  /** When it was used last, in field time. */
  used: number;
}

/** An idle session ends after this field time, but not sooner than after a minute of the host's, in which clients live. */
export const SESSION_TIMEOUT_S = 1_800;
const LEAST_SESSION_S = 60;
export const LOCKOUT_THRESHOLD = 5;
export const LOCKOUT_S = 60;

const login: readonly BmcPrivilege[] = ['Login', 'ConfigureSelf'];
export const rolePrivileges: Readonly<Record<AccountState['role'], readonly BmcPrivilege[]>> = {
  Administrator: ['Login', 'ConfigureManager', 'ConfigureUsers', 'ConfigureSelf', 'ConfigureComponents'],
  Operator: [...login, 'ConfigureComponents'],
  ReadOnly: login,
};

interface WrongPasswords {
  count: number;
  last: number;
}

const challenge = { 'WWW-Authenticate': 'Basic realm="BMC"' };
export const accessDenied = () => new BmcRejection(401, 'AccessDenied', [], { headers: challenge });

export class BmcLogins {
  readonly #machine: Machine;
  #sessions: Map<string, BmcSession> | undefined;
  #wrong: Map<string, WrongPasswords> | undefined;
  #lastId = 0;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  get #now(): number {
    return this.#machine.around.time.now();
  }

  sessions(): readonly BmcSession[] {
    const { speed } = this.#machine.around.time.basis;
    const oldest = this.#now - Math.max(SESSION_TIMEOUT_S, LEAST_SESSION_S * speed) * 1_000;
    for (const { id, used } of this.#sessions?.values() ?? []) if (used < oldest) this.#sessions?.delete(id);
    return [...(this.#sessions?.values() ?? [])];
  }

  /** @throws BmcRejection 401, 503 if there are too many */
  open(user: string, password: string): BmcSession {
    const account = this.#accountWith(user, password);
    if (this.sessions().length >= this.#machine.facts.model.bmc.sessionLimit)
      throw new BmcRejection(503, 'SessionLimitExceeded', [], { headers: { 'Retry-After': '30' } });
    this.#lastId += 1;
    const now = this.#now;
    const token = randomBytes(16).toString('hex');
    const session = { id: String(this.#lastId), token, user: account.user, created: now, used: now };
    this.#sessions ??= new Map();
    this.#sessions.set(session.id, session);
    return session;
  }

  /** @returns false if there is no such session */
  end(id: string): boolean {
    return this.#sessions?.delete(id) === true;
  }

  /** @param user absent: of all accounts */
  endAll(user?: string): void {
    for (const session of this.sessions()) if (user === undefined || session.user === user) this.end(session.id);
  }

  /** @returns undefined if the request has no credentials @throws BmcRejection 401 if they are wrong */
  accountOf({ headers }: BmcRequest): AccountState | undefined {
    const { 'x-auth-token': token, authorization } = headers;
    if (typeof token === 'string') {
      const session = this.sessions().find((each) => each.token === token);
      const account = this.#accounts().find(({ user, isEnabled }) => isEnabled && user === session?.user);
      if (session === undefined || account === undefined || this.#isFooled()) throw accessDenied();
      session.used = this.#now;
      return account;
    }
    if (typeof authorization !== 'string') return undefined;
    const [, encoded = ''] = /^Basic +(\S+)$/i.exec(authorization) ?? [];
    const said = Buffer.from(encoded, 'base64').toString();
    const colon = said.indexOf(':');
    return this.#accountWith(said.slice(0, Math.max(colon, 0)), said.slice(colon + 1));
  }

  isLocked(user: string): boolean {
    const wrong = this.#wrong?.get(user);
    return wrong !== undefined && wrong.count >= LOCKOUT_THRESHOLD && this.#now < wrong.last + LOCKOUT_S * 1_000;
  }

  unlock(user: string): void {
    this.#wrong?.delete(user);
  }

  #accounts(): readonly AccountState[] {
    return this.#machine.state.bmc.accounts;
  }

  #accountWith(user: string, password: string): AccountState {
    const account = this.#accounts().find((each) => each.user === user && each.isEnabled);
    if (account === undefined || this.#isFooled() || this.isLocked(user)) throw accessDenied();
    if (account.password !== password) {
      this.#noteWrong(user);
      throw accessDenied();
    }
    this.unlock(user);
    return account;
  }

  /** A fault: it knows no password. */
  #isFooled(): boolean {
    return this.#machine.around.faults.has(this.#machine.name, 'wrong password');
  }

  #noteWrong(user: string): void {
    this.#wrong ??= new Map();
    const before = this.#wrong.get(user);
    const counts = before !== undefined && this.#now < before.last + LOCKOUT_S * 1_000 ? before.count : 0;
    this.#wrong.set(user, { count: counts + 1, last: this.#now });
  }
}
