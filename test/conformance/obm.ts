/**
 * Rules of every driver (`engine/hardware/obm/driver.ts`). The test file of the drivers opens a bench for each and passes it.
 */
import type { ExecutionContext, TestFn } from 'ava';
import type { ObmService } from '../../engine/define/node.ts';
import { ObmError } from '../../engine/define/obm.ts';
import type { Commit } from '../../engine/hardware/obm/commit.ts';
import type { ObmDriver } from '../../engine/hardware/obm/driver.ts';
import { NEVER } from '../support/ava/never.ts';

/** A driver, and the machine that it controls. */
interface Bench {
  driver: ObmDriver;
  /** Every change of the machine, oldest first. Empty for a driver without a machine. */
  ledger(): string[];
  /** From now on the machine runs commands but does not answer. Absent: it has no answers. */
  mute?(): void;
  /** The same driver for an address that does not answer. */
  nowhere?(): Promise<ObmDriver>;
}

export type OpenBench = (t: ExecutionContext) => Promise<Bench>;

type Send = (driver: ObmDriver, commit: Commit, signal?: AbortSignal) => Promise<void>;

const commands: Record<string, Send> = {
  on: (driver, commit, signal = NEVER) => driver.power('on', signal, commit),
  soft: (driver, commit, signal = NEVER) => driver.power('soft', signal, commit),
  reset: (driver, commit, signal = NEVER) => driver.power('reset', signal, commit),
  off: (driver, commit, signal = NEVER) => driver.power('off', signal, commit),
  'clear log': (driver, commit, signal = NEVER) => driver.clearLog(signal, commit),
  'reset bmc': (driver, commit, signal = NEVER) => driver.resetBmc(signal, commit),
};

/** Settings, which need no commit. */
const settings: Record<string, (driver: ObmDriver) => Promise<void>> = {
  'boot once': (driver) => driver.boot({ device: 'pxe' }, NEVER),
  'boot always': (driver) => driver.boot({ device: 'disk', persistent: true, uefi: true }, NEVER),
  'light on': (driver) => driver.identify(true, NEVER),
  'light off': (driver) => driver.identify(false, NEVER),
};

const free: Commit = async () => {};

/**
 * @param hasMachine false: nothing is ever sent
 * @param lacks what the service cannot do, as `commands` and `settings` name it
 */
export function obmConformance(
  test: Pick<TestFn, 'serial'>,
  service: ObmService,
  open: OpenBench,
  { hasMachine, lacks }: { hasMachine: boolean; lacks: readonly string[] },
): void {
  const supported = Object.entries(commands).filter(([name]) => !lacks.includes(name));
  const named = (title: string) => `${service}: ${title}`;
  const sends = hasMachine ? 1 : 0;

  test.serial(named('it names its service, and no question or setting needs a commit'), async (t) => {
    const { driver } = await open(t);
    t.is(driver.service, service);
    for (const [name, apply] of Object.entries(settings)) if (!lacks.includes(name)) await apply(driver);
    t.is(await driver.state(NEVER), hasMachine ? 'off' : 'unknown');
  });

  test.serial(named('each command is sent once, after its one commit and not before'), async (t) => {
    const { driver, ledger } = await open(t);
    for (const [name, send] of supported) {
      const before = ledger().length;
      const commits: number[] = [];
      await send(driver, async () => void commits.push(ledger().length));
      t.deepEqual(commits, [before], name);
      // The IPMI simulator records what its machine gets, and not what it gets itself.
      if (!['clear log', 'reset bmc'].includes(name)) t.is(ledger().length, before + sends, name);
    }
  });

  test.serial(named('a command whose commit rejects is not sent'), async (t) => {
    const { driver, ledger } = await open(t);
    for (const [name, send] of supported) {
      const rejected = send(driver, () => Promise.reject(new Error('not now')));
      await t.throwsAsync(rejected, { message: 'not now' }, name);
    }
    t.deepEqual(ledger(), []);
  });

  test.serial(named('a command of a call that was cancelled is not sent'), async (t) => {
    const { driver, ledger } = await open(t);
    if (!hasMachine) return t.pass();
    const cancelled = AbortSignal.abort(new Error('enough'));
    for (const [, send] of supported) {
      await t.throwsAsync(send(driver, free, cancelled), { message: 'enough' });
    }
    t.deepEqual(ledger(), []);
  });

  test.serial(named('what the service lacks is rejected, and nothing is sent'), async (t) => {
    const { driver, ledger } = await open(t);
    for (const name of lacks) {
      const send = commands[name] ?? settings[name];
      const commit = async () => t.fail(`${name} had a commit`);
      await t.throwsAsync(async () => send?.(driver, commit), { instanceOf: ObmError, code: 'OBM_UNSUPPORTED' }, name);
    }
    t.deepEqual(ledger(), []);
  });

  test.serial(named('the state follows the commands'), async (t) => {
    const { driver } = await open(t);
    for (const action of ['on', 'off'] as const) {
      await driver.power(action, NEVER, free);
      t.is(await driver.state(NEVER), hasMachine ? action : 'unknown');
    }
  });

  test.serial(named('a command that the machine takes without an answer went out once, and may be done'), async (t) => {
    const { driver, ledger, mute } = await open(t);
    if (mute === undefined) return t.false(hasMachine);
    mute();
    const action = lacks.includes('reset') ? 'on' : 'reset';
    const error = await t.throwsAsync<ObmError>(driver.power(action, NEVER, free), { instanceOf: ObmError });
    t.is(error?.code, 'OBM_UNANSWERED');
    t.not(error?.sent, false);
    t.is(ledger().length, 1);
  });

  test.serial(named('a command for a place where nothing answers was certainly not carried out'), async (t) => {
    const { nowhere } = await open(t);
    if (nowhere === undefined) return t.false(hasMachine);
    const driver = await nowhere();
    const error = await t.throwsAsync<ObmError>(driver.power('on', NEVER, free), { instanceOf: ObmError });
    t.like(error, { code: 'OBM_UNREACHABLE', sent: false, retry: undefined });
  });
}
