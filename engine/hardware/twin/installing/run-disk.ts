/** An installed system: calls the URLs of its first boot, each once, and runs until the power changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { drivesOfMachine } from '../commands/drive-facts.ts';
import type { InstalledSystem } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { untilAborted } from '../machine/until-aborted.ts';
import { callUntilDone } from './installer-exchange.ts';

/** From the boot loader to the network. */
const BOOT_MS = 30_000;
/** In time of the host: the daemon of a fast twin first ends the installation that is before the first boot. */
const BOOT_LEAST_MS = 2_000;

/** Runs until the signal is aborted; a machine without a system, too. @throws the reason of the signal */
export async function runDisk(machine: Machine, signal: AbortSignal): Promise<void> {
  const system = systemOf(machine);
  const { phase } = machine.state;
  const since = phase.name === 'disk' ? phase.until : machine.around.time.now();
  if (system !== undefined && system.callbacks.length > 0) {
    const { time } = machine.around;
    await Promise.all([time.until(since + BOOT_MS, signal), sleep(BOOT_LEAST_MS, undefined, { signal, ref: false })]);
  }
  while (system?.callbacks[0] !== undefined) {
    await callUntilDone(machine, system.callbacks[0], signal);
    // Saved only after the call: a repeated callback is harmless, a lost one is not.
    system.callbacks.shift();
    await machine.save();
  }
  await untilAborted(signal);
}

/** The one that was installed last, as its firmware has its entry first. */
const systemOf = (machine: Machine): InstalledSystem | undefined =>
  drivesOfMachine(machine)
    .flatMap(({ state: { system } }) => (system === undefined ? [] : [system]))
    .sort((a, b) => b.since - a.since)[0];
