/**
 * The life of a machine: it runs the phase that the state says, until a change of power ends it; then the next one. It can
 * begin anywhere, so a twin that was killed continues from what it had saved.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { runAgent } from './agent/run-agent.ts';
import { runRackhdAgent } from './agent/run-rackhd-agent.ts';
import { runSwitchProgram } from './agent/run-switch-program.ts';
import { bootKindOf } from './installing/boot-kind.ts';
import { runDisk } from './installing/run-disk.ts';
import { runInstaller } from './installing/run-installer.ts';
import { takeBootTarget } from './machine/bmc-firmware.ts';
import type { KernelImage, MachinePhase } from './machine/machine-state.ts';
import type { Machine } from './machine/twin-machine.ts';
import { untilAborted } from './machine/until-aborted.ts';
import { imageOnMedia } from './media-boot.ts';
import { askForBoot, noteNode } from './pxe.ts';

const POST_MS = 180_000;
const LOADING_MS = 95_000;
/** In time of the host: a phase that fails, or ends by itself, is not begun again sooner. */
const PHASE_PAUSE_MS = 1_000;

/** Ends when the machine stops. */
export async function runMachine(machine: Machine): Promise<void> {
  while (!machine.isStopped) {
    const signal = machine.phaseSignal;
    try {
      await runPhase(machine, signal);
    } catch (error) {
      if (signal.aborted) continue;
      machine.around.tell(machine, messageOf(error));
    }
    if (!signal.aborted && machine.state.phase.name === 'agent') {
      await sleep(PHASE_PAUSE_MS, undefined, { signal, ref: false }).catch(() => {}); // the power has changed
    }
  }
}

async function runPhase(machine: Machine, signal: AbortSignal): Promise<void> {
  const { power, phase } = machine.state;
  const { time } = machine.around;
  if (power.until !== undefined) {
    await time.until(power.until, signal);
    return machine.settlePower();
  }
  switch (phase.name) {
    case 'off':
      return untilAborted(signal);
    case 'post':
      await machine.applyChanges();
      await time.until(phase.until + POST_MS, signal);
      return machine.enter(afterTest(machine));
    case 'pxe':
      return machine.enter(await bootByNetwork(machine, signal));
    case 'media':
      return machine.enter(await bootByMedia(machine, signal));
    case 'loading':
      await time.until(phase.until, signal);
      return machine.enter(phaseAfterLoading(phase, time.now()));
    case 'agent':
      return agentOf(phase.image)(machine, phase.image, signal);
    case 'installing':
      return runInstaller(machine, phase.image, signal);
    case 'disk':
      return runDisk(machine, signal);
  }
}

function agentOf(image: KernelImage) {
  const kind = bootKindOf(image);
  if (kind === 'rackhd-agent') return runRackhdAgent;
  return kind === 'switch-runner' ? runSwitchProgram : runAgent;
}

/** The device of the boot override, else the network first. */
function afterTest(machine: Machine): MachinePhase {
  const target = takeBootTarget(machine.state.bmc);
  if (target === 'Cd') return { name: 'media' };
  const bypassesNetwork = !['None', 'Pxe', 'UefiHttp'].includes(target);
  return bypassesNetwork ? diskPhase(machine) : { name: 'pxe' };
}

const diskPhase = (machine: Machine): MachinePhase => ({ name: 'disk', until: machine.around.time.now() });

async function bootByNetwork(machine: Machine, signal: AbortSignal): Promise<MachinePhase> {
  const image = await askForBoot(machine, signal);
  const what = image === 'disk' ? 'disk' : `network ${bootKindOf(image)}`;
  await machine.save({ kind: 'boot', what, outcome: 'done', by: 'firmware' });
  if (image === 'disk') return diskPhase(machine);
  return { name: 'loading', image, until: machine.around.time.now() + LOADING_MS };
}

/** A CD without a microkernel is skipped, as by firmware that cannot boot it: the twin runs no other systems of CDs. */
async function bootByMedia(machine: Machine, signal: AbortSignal): Promise<MachinePhase> {
  const image = await imageOnMedia(machine, signal);
  if (image === undefined) return diskPhase(machine);
  noteNode(machine, image.cmdline);
  await machine.save({ kind: 'boot', what: `cd ${bootKindOf(image)}`, outcome: 'done', by: 'firmware' });
  return { name: 'loading', image, until: machine.around.time.now() + LOADING_MS };
}

function phaseAfterLoading({ image }: Extract<MachinePhase, { name: 'loading' }>, now: number): MachinePhase {
  const kind = bootKindOf(image);
  if (kind === 'installer') return { name: 'installing', image, until: now, step: 0 };
  return kind === 'unknown' ? { name: 'disk', until: now } : { name: 'agent', image };
}
