/**
 * The rotation of the password of a BMC account. Obms of the node that log in as the same user with the same password
 * (IPMI and Redfish of one BMC) follow it.
 *
 * 1. The new password is kept beside the current one, encrypted, before the BMC gets it (`prepare`). It is kept only if the
 *    BMC accepts the current one, and only beside the config that was read.
 * 2. A password is dropped only after the BMC has accepted the other one in a log-in of its own.
 * 3. The BMC gets the new password only while both are kept (`change`); a password that it takes and does not accept is taken
 *    back in the session that is still open (`account-driver.ts`).
 * 4. The obm gets the new password by the same write that drops the old one (`settle`).
 *
 * If the process dies
 * - before 1: nothing was changed;
 * - after it, before 3: both are kept, and the BMC accepts the current one: `change` begins again;
 * - after 3, before 4: both are kept, and the BMC accepts the new one, which `change` and `settle` find out by a log-in;
 * - after 4: nothing is kept beside the obm, and `settle` has nothing to do.
 * A new workflow finds the same: it continues with the password that is kept.
 */
import { type ObmService, obmServices } from '../../define/node.ts';
import { type BmcAccount, ObmError } from '../../define/obm.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { randomPassword } from '../redfish/account-password.ts';
import type { AccountDriver } from './account-driver.ts';
import type { NoteSecret } from './note-secret.ts';

/** An obm with the password that may take the place of its own. */
export interface RotatingObm {
  config: JsonObject;
  /** Absent: its password is not being replaced. */
  next?: string;
  /** Changes with the config and the kept password. */
  version: string;
}

/** The stored obms of one node. */
export interface RotatingObms {
  get(service: string): Promise<RotatingObm | undefined>;
  /** @param next absent: the kept one is dropped @returns false after a concurrent change */
  keep(service: string, next: string | undefined, version: string): Promise<boolean>;
  /** Makes the kept password that of the obm. @returns false after a concurrent change */
  use(service: string, version: string): Promise<boolean>;
}

interface OpenObm extends RotatingObm {
  service: ObmService;
  driver: AccountDriver;
  password: string;
}

/** A config is changed by users; more than some changes in a row are a defect. */
const CHANGES = 5;

export class RotatedAccount implements BmcAccount {
  readonly #service: ObmService;
  readonly #obms: RotatingObms;
  readonly #driverOf: (service: ObmService, config: JsonObject) => Promise<AccountDriver>;
  readonly #note: NoteSecret;

  /** @param service of the obm that changes the password @param driverOf opens the account of a config */
  constructor(
    service: ObmService,
    obms: RotatingObms,
    driverOf: (service: ObmService, config: JsonObject) => Promise<AccountDriver>,
    note: NoteSecret,
  ) {
    this.#service = service;
    this.#obms = obms;
    this.#driverOf = driverOf;
    this.#note = note;
  }

  async prepare(length: number | undefined, signal: AbortSignal): Promise<void> {
    const [{ next: kept }, ...before] = await this.#all();
    // They belong to an earlier rotation.
    for (const other of before) if (other.next !== kept) await this.#settle(other, signal);
    const [main, ...others] = await this.#all();
    const { driver, password } = main;
    if (main.next !== undefined && (await driver.accepts(main.next, signal))) return;
    if (!(await driver.accepts(password, signal)))
      throw rejectedBoth(this.#service, driver.user, main.next !== undefined);
    const followers: OpenObm[] = [];
    for (const each of others) {
      const isShared = each.driver.user === driver.user && each.password === password;
      if (isShared && (await each.driver.accepts(password, signal))) followers.push(each);
    }
    const wanted = await lengthFor([main, ...followers], length, signal);
    const next = main.next?.length === wanted ? main.next : this.#withNote(randomPassword(wanted));
    for (const each of [main, ...followers]) if (each.next !== next) await this.#keep(each, next);
  }

  async change(signal: AbortSignal): Promise<void> {
    const [{ driver, next, password }] = await this.#all();
    if (next === undefined)
      throw new ObmError('OBM_FAILED', `the ${this.#service} was replaced in the meantime`, { retry: false });
    // Most likely after a crash; the first attempt does without the wrong log-in, which BMCs count.
    if (await driver.accepts(password, signal)) return driver.change(password, next, signal);
    if (!(await driver.accepts(next, signal))) throw rejectedBoth(this.#service, driver.user, true);
  }

  async settle(signal: AbortSignal): Promise<string[]> {
    const services: string[] = [];
    for (const each of await this.#all()) if (await this.#settle(each, signal)) services.push(each.service);
    return services;
  }

  /** Drops the one password when the BMC accepts the other. @returns whether the obm has the new one now */
  async #settle(obm: OpenObm, signal: AbortSignal): Promise<boolean> {
    const { service, driver, next, password } = obm;
    if (next === undefined) return service === this.#service;
    if (await driver.accepts(next, signal)) {
      await this.#repeat(service, (version) => this.#obms.use(service, version));
      return true;
    }
    if (!(await driver.accepts(password, signal))) throw rejectedBoth(service, driver.user, true);
    await this.#repeat(service, (version) => this.#obms.keep(service, undefined, version));
    return false;
  }

  async #keep({ service, version }: OpenObm, next: string): Promise<void> {
    if (await this.#obms.keep(service, next, version)) return;
    throw new ObmError('OBM_BUSY', `the ${service} was changed at the same time`);
  }

  /** A user may change the rest of the config in the meantime. */
  async #repeat(service: ObmService, write: (version: string) => Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < CHANGES; attempt += 1) {
      const obm = await this.#obms.get(service);
      if (obm?.next === undefined || (await write(obm.version))) return;
    }
    throw new ObmError('OBM_BUSY', `the ${service} is changed again and again`);
  }

  /** The obms with accounts, that of the rotation first. */
  async #all(): Promise<[OpenObm, ...OpenObm[]]> {
    const others = obmServices.filter((each) => each !== this.#service && each !== 'noop-obm-service');
    const otherObms = await Promise.all(others.map((each) => this.#open(each)));
    const main = await this.#open(this.#service);
    if (main === undefined)
      throw new ObmError('OBM_MISSING', `the node has no ${this.#service} any more; put one`, { retry: false });
    return [main, ...otherObms.filter((each) => each !== undefined)];
  }

  async #open(service: ObmService): Promise<OpenObm | undefined> {
    const obm = await this.#obms.get(service);
    if (obm === undefined) return undefined;
    const password = this.#withNote(String(obm.config.password ?? ''));
    if (obm.next !== undefined) this.#note(obm.next);
    return { ...obm, service, password, driver: await this.#driverOf(service, obm.config) };
  }

  #withNote(password: string): string {
    this.#note(password);
    return password;
  }
}

/** @throws ObmError OBM_UNSUPPORTED if a BMC does not take the length */
async function lengthFor(obms: readonly OpenObm[], length: number | undefined, signal: AbortSignal): Promise<number> {
  const limits = await Promise.all(obms.map(({ driver }) => driver.limits(signal)));
  const [least, most] = [Math.max(...limits.map((each) => each.least)), Math.min(...limits.map((each) => each.most))];
  const wanted = length ?? Math.max(least, Math.min(...limits.map((each) => each.safe)));
  if (wanted >= least && wanted <= most) return wanted;
  const message = `found a length of ${wanted}; the BMC takes passwords of ${least} to ${most} characters`;
  throw new ObmError('OBM_UNSUPPORTED', message, { retry: false });
}

const rejectedBoth = (service: string, user: string, isKept: boolean) =>
  new ObmError(
    'OBM_REJECTED',
    `the BMC rejects ${user} with the password of the ${service}${isKept ? ' and with the new one; both are kept' : ''}; put the obm with the right password, then launch again`,
    { retry: false },
  );
