/** The account of an `ipmi-obm-service` (IPMI 2.0, 22.26 to 22.30), by ipmitool. */
import { ObmError } from '../../define/obm.ts';
import { type AccountDriver, forgetful, isAccepted } from './account-driver.ts';
import type { DriverLimits } from './driver.ts';
import { withIpmiShell } from './ipmi-shell.ts';
import { type Bmc, ipmitool } from './ipmitool.ts';

/** Characters of the two formats of a password. */
const [SHORT, LONG] = [16, 20];
/** BMCs of some years take any; those of a standard such as CJIS demand 8. */
const LEAST = 8;

export function ipmiAccount(
  bmc: Bmc,
  { breakers, timeoutMs }: Pick<DriverLimits, 'breakers' | 'timeoutMs'>,
): AccountDriver {
  const { user } = bmc;
  const logIn = (password: string, signal: AbortSignal) =>
    isAccepted(() => ipmitool({ ...bmc, password }, { args: ['chassis', 'power', 'status'], timeoutMs, signal }));
  const run = <T>(signal: AbortSignal, work: () => Promise<T>) => breakers.run(`${bmc.host}:${bmc.port}`, signal, work);
  return {
    user,
    // A BMC without the longer format rejects it, or keeps the first 16 characters.
    limits: async () => ({ least: LEAST, most: LONG, safe: SHORT }),
    accepts: (password, signal) => run(signal, () => logIn(password, signal)),
    change: (current, next, signal) =>
      run(signal, () =>
        withIpmiShell({ ...bmc, password: current }, SESSIONS * timeoutMs, signal, async ({ say }) => {
          const id = idIn(await say('user list'), user);
          await set(say, id, next);
          if (await logIn(next, signal)) return;
          await set(say, id, current);
          throw forgetful(user);
        }),
      ),
  };
}

/** The session of the change, and two log-ins in the meantime. */
const SESSIONS = 3;

async function set(say: (line: string) => Promise<string>, id: string, password: string): Promise<void> {
  const said = await say(`user set password ${id} ${password} ${password.length > SHORT ? LONG : SHORT}`);
  if (/successful/.test(said)) return;
  const [, why = 'nothing'] = /(?:failed|password)[^:\n]{0,200}: ([^\n]+)/i.exec(said.replaceAll(password, '')) ?? [];
  throw new ObmError('OBM_FAILED', `ipmitool user set password ${id}: the BMC says "${why.slice(0, 200)}"`, {
    sent: false,
  });
}

/** @param list lines such as `2   root   true    false      true       ADMINISTRATOR` */
function idIn(list: string, user: string): string {
  for (const line of list.split('\n')) {
    const [, id, name] = /^(\d+)\s+(\S+)\s/.exec(line) ?? [];
    if (name === user && id !== undefined) return id;
  }
  throw new ObmError('OBM_UNSUPPORTED', `the BMC lists no user ${user}, although it accepted its log-in`, {
    retry: false,
  });
}
