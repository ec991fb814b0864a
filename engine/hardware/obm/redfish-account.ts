/** The account of a `redfish-obm-service` (DSP0266, 13.3; AccountService, ManagerAccount). */
import { setTimeout } from 'node:timers/promises';
import { ObmError } from '../../define/obm.ts';
import { objectIn } from '../../vocabulary/json.ts';
import { accountServiceOf, accountsOf } from '../redfish/account-collection.ts';
import { type Ask, linkIn, SERVICE_ROOT } from '../redfish/service.ts';
import { type AccountDriver, forgetful, isAccepted } from './account-driver.ts';
import type { DriverLimits } from './driver.ts';
import { RedfishSession, type RedfishTarget } from './session.ts';

/** Where the BMC names no limits. */
const [LEAST, MOST] = [8, 40];
const SAFE = 20;
/** A BMC may store a password a moment after its answer. */
const LOGINS = 3;
const LOGIN_PAUSE_MS = 2_000;

type Limits = Pick<DriverLimits, 'breakers' | 'timeoutMs' | 'note'>;

export function redfishAccount(target: RedfishTarget, { breakers, timeoutMs, note }: Limits): AccountDriver {
  const { user } = target;
  /** A session of its own, not the shared one. */
  const asking = async <T>(password: string, signal: AbortSignal, work: (ask: Ask) => Promise<T>): Promise<T> => {
    const session = new RedfishSession({ ...target, password }, timeoutMs);
    try {
      return await work(async (request) => objectIn((await session.ask(request, signal)).body));
    } finally {
      for (const secret of session.secrets) note(secret);
      await session.close().catch(() => {}); // the BMC ends it
    }
  };
  const logIn = (password: string, signal: AbortSignal) =>
    isAccepted(() => asking(password, signal, (ask) => ask({ method: 'GET', path: `${SERVICE_ROOT}Systems` })));
  const run = <T>(signal: AbortSignal, work: () => Promise<T>) => breakers.run(target.origin, signal, work);
  return {
    user,
    limits: (signal) =>
      run(signal, () => asking(target.password, signal, async (ask) => limitsIn(await accountServiceOf(ask)))),
    accepts: (password, signal) => run(signal, () => logIn(password, signal)),
    change: (current, next, signal) =>
      run(signal, () =>
        asking(current, signal, async (ask) => {
          const account = await accountOf(ask, user);
          if (account === undefined)
            throw new ObmError('OBM_UNSUPPORTED', `the BMC lists no account of ${user}`, { retry: false });
          const path = linkIn(account) as string;
          await ask({ method: 'PATCH', path, body: { Password: next } });
          for (let attempt = 0; attempt < LOGINS; attempt += 1) {
            if (attempt > 0) await setTimeout(LOGIN_PAUSE_MS, undefined, { signal });
            if (await logIn(next, signal)) return;
          }
          await ask({ method: 'PATCH', path, body: { Password: current } });
          throw forgetful(user);
        }),
      ),
  };
}

function limitsIn({ MinPasswordLength: least, MaxPasswordLength: most }: Record<string, unknown>) {
  const limits = { least: numberOr(least, LEAST), most: numberOr(most, MOST) };
  return { ...limits, safe: Math.max(limits.least, Math.min(limits.most, SAFE)) };
}

/** A BMC may say 0 for what it does not know. */
const numberOr = (value: unknown, other: number): number => (typeof value === 'number' && value > 0 ? value : other);

const accountOf = async (ask: Ask, user: string) =>
  (await accountsOf(ask)).accounts.find(({ UserName: name }) => name === user);
