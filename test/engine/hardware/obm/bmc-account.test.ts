/** The rotation of a BMC's password, with deaths at each point, on the BMC of a twin and on OpenIPMI's simulator. */
import test, { type ExecutionContext } from 'ava';
import type { AccountDriver } from '../../../../engine/hardware/obm/account-driver.ts';
import { RotatedAccount, type RotatingObm, type RotatingObms } from '../../../../engine/hardware/obm/bmc-account.ts';
import { CircuitBreakers } from '../../../../engine/hardware/obm/circuit-breakers.ts';
import { ipmiAccount } from '../../../../engine/hardware/obm/ipmi-account.ts';
import { bmcOf, redfishOf } from '../../../../engine/hardware/obm/obm-settings.ts';
import { redfishAccount } from '../../../../engine/hardware/obm/redfish-account.ts';
import type { JsonObject } from '../../../../engine/vocabulary/json.ts';
import { needing } from '../../../support/ava/needs.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { noIpmiSim, startIpmiSim } from '../../../support/bmcs/ipmi-sim.ts';
import { startTwinBmc } from '../../../support/bmcs/twin-bmc.ts';
import { Death, type MortalCalls, mortalCalls } from '../../../support/faults/mortal-calls.ts';

const [REDFISH, IPMI] = ['redfish-obm-service', 'ipmi-obm-service'] as const;
const signal = AbortSignal.timeout(10 * WAIT_MS);
const withSim = needing(noIpmiSim);

/** A process may die at each call to the BMC, and at each read or write of the store. */
const mortal = (deadline: number) => mortalCalls(deadline).live;
type Life = MortalCalls['live'];
const immortal = mortal(Number.POSITIVE_INFINITY);

/** The stored obms of one node. */
class Obms {
  readonly all: Map<string, RotatingObm>;
  #version = 0;

  constructor(all: Record<string, JsonObject>) {
    this.all = new Map(Object.entries(all).map(([service, config]) => [service, { config, version: '0' }]));
  }

  port(live: Life): RotatingObms {
    const put = (service: string, version: string, change: (obm: RotatingObm) => Omit<RotatingObm, 'version'>) =>
      live(async () => {
        const obm = this.all.get(service);
        if (obm?.version !== version) return false;
        this.#version += 1;
        this.all.set(service, { ...change(obm), version: String(this.#version) });
        return true;
      });
    return {
      get: (service) => live(async () => this.all.get(service)),
      keep: (service, next, version) => put(service, version, ({ config }) => ({ config, ...(next && { next }) })),
      use: (service, version) =>
        put(service, version, ({ config, next }) => ({ config: { ...config, password: next } })),
    };
  }
}

const breakers = new CircuitBreakers({ concurrency: 2, failures: 3, backoffMs: 60_000, timeoutMs: 20_000 }, Date.now);

function driverOf(config: JsonObject, live: Life): AccountDriver {
  const limits = { breakers, timeoutMs: 4_000, note: () => {} };
  const driver =
    'uri' in config ? redfishAccount(redfishOf(config).target, limits) : ipmiAccount(bmcOf(config, 3), limits);
  return {
    user: driver.user,
    limits: (...args) => live(() => driver.limits(...args)),
    accepts: (...args) => live(() => driver.accepts(...args)),
    change: (...args) => live(() => driver.change(...args)),
  };
}

const open = (service: typeof REDFISH | typeof IPMI, obms: Obms, live: Life) =>
  new RotatedAccount(
    service,
    obms.port(live),
    async (_, config) => driverOf(config, live),
    () => {},
  );

async function rotate(account: RotatedAccount, length?: number): Promise<string[]> {
  await account.prepare(length, signal);
  await account.change(signal);
  return account.settle(signal);
}

/** Dies at each n-th point in turn; the next try ends the rotation. @returns the number of points */
async function dieEverywhere(
  t: ExecutionContext,
  service: typeof REDFISH | typeof IPMI,
  obms: Obms,
  isHeld: (passwords: readonly unknown[]) => Promise<boolean>,
  every = 1,
): Promise<number> {
  for (let point = 1; ; point += every) {
    const before = obms.all.get(service)?.config.password;
    const died = await rotate(open(service, obms, mortal(point))).then(
      () => false,
      (error) => error instanceof Death || Promise.reject(error),
    );
    const { config, next } = obms.all.get(service) as RotatingObm;
    t.true(await isHeld([config.password, next]), `died at ${point}: the BMC has a password that is kept`);
    if (!died) return point - 1;
    await rotate(open(service, obms, immortal));
    const end = obms.all.get(service) as RotatingObm;
    t.is(end.next, undefined, `died at ${point}: one is proven`);
    t.not(end.config.password, before);
    t.true(await isHeld([end.config.password]), `died at ${point}: the BMC accepts it`);
    for (const [name, { config, next }] of obms.all)
      t.deepEqual([config.password, next], [end.config.password, undefined], `died at ${point}: ${name} follows`);
  }
}

test('a process that dies at any point of a rotation leaves a password that the BMC accepts, and the next try ends it', async (t) => {
  const { config, state } = await startTwinBmc(t, { model: 'dell-r650' });
  // Another obm that logs in to the same account follows.
  const obms = new Obms({ [REDFISH]: config, [IPMI]: config });
  const points = await dieEverywhere(t, REDFISH, obms, async (passwords) =>
    passwords.includes(state.bmc.accounts[0]?.password),
  );
  t.true(points > 40, String(points));
  t.is(String(obms.all.get(REDFISH)?.config.password).length, 20);
});

withSim.serial('the same by IPMI, with a password of 16 characters', async (t) => {
  const sim = await startIpmiSim(t, 'calvin-hobbes');
  const obms = new Obms({ [IPMI]: sim.config });
  await dieEverywhere(
    t,
    IPMI,
    obms,
    async (passwords) => {
      const driver = driverOf(sim.config, immortal);
      for (const password of passwords)
        if (typeof password === 'string' && (await driver.accepts(password, signal))) return true;
      return false;
    },
    7,
  );
  t.is(String(obms.all.get(IPMI)?.config.password).length, 16);
});

withSim.serial('a BMC that takes a password and does not accept it gets the current one again', async (t) => {
  // The simulator keeps the characters after the 16th of the password before.
  const sim = await startIpmiSim(t);
  const obms = new Obms({ [IPMI]: sim.config });
  const { code, message } = await t.throwsAsync<Error & { code: string }>(rotate(open(IPMI, obms, immortal)));
  t.is(code, 'OBM_FAILED');
  t.regex(message, /does not accept it; it has the current one again/);
  t.true(await driverOf(sim.config, immortal).accepts(sim.config.password, signal));
  t.is(obms.all.get(IPMI)?.config.password, sim.config.password);
});

test('a password that neither the obm nor the BMC has ends the rotation before anything is changed', async (t) => {
  const { config, ledger } = await startTwinBmc(t);
  const obms = new Obms({ [REDFISH]: { ...config, password: 'another-one' } });
  const { code } = await t.throwsAsync<Error & { code: string }>(rotate(open(REDFISH, obms, immortal)));
  t.is(code, 'OBM_REJECTED');
  t.is(obms.all.get(REDFISH)?.next, undefined);
  t.deepEqual(ledger, []);
});

test('a user who corrects the obm in the middle loses neither password', async (t) => {
  const { config, state } = await startTwinBmc(t);
  const obms = new Obms({ [REDFISH]: config });
  const account = open(REDFISH, obms, immortal);
  await account.prepare(undefined, signal);
  await account.change(signal);
  const obm = obms.all.get(REDFISH) as RotatingObm;
  obms.all.set(REDFISH, { ...obm, config: { ...obm.config, password: 'mistyped' }, version: 'of the user' });
  t.deepEqual(await account.settle(signal), [REDFISH]);
  t.is(obms.all.get(REDFISH)?.config.password, state.bmc.accounts[0]?.password);
});

test('a length that the BMC does not take is rejected before anything is changed', async (t) => {
  const { config, ledger } = await startTwinBmc(t);
  const obms = new Obms({ [REDFISH]: config });
  const { code, message } = await t.throwsAsync<Error & { code: string }>(rotate(open(REDFISH, obms, immortal), 64));
  t.is(code, 'OBM_UNSUPPORTED');
  t.regex(message, /takes passwords of 8 to 40 characters/);
  t.deepEqual(ledger, []);
});
