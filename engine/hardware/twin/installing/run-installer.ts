/**
 * An installer: fetches its answers, takes the disk that they name, installs, reports, restarts the machine. Each step is saved
 * before the next one, so that an installer of a twin that was killed continues:
 *
 * - **0**: it has not read its answers.
 * - **1**: it writes to the disk until the time of the phase. Nothing boots from that disk.
 * - **2**: the system is on the disk; its script and its callback come next.
 * - **3**: it has failed, and reports that.
 * - **4**: it has reported, and waits for a person.
 */
import { MINUTE_MS } from '../../../vocabulary/units.ts';
import type { LedgerNote } from '../machine/ledger.ts';
import type { DriveState, InstallPlan, KernelImage, MachinePhase } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { untilAborted } from '../machine/until-aborted.ts';
import { callbacksIn, installPlan } from './answer-file.ts';
import { answersUrl, isWindowsPe } from './boot-kind.ts';
import { fetchText } from './installer-exchange.ts';

const INSTALL_MS = 12 * MINUTE_MS;
const ESXI_MS = 8 * MINUTE_MS;
/** The installer's start, before it asks for its answers, is the kernel's. */
const NOTHING: InstallPlan = { system: 'unknown', hostname: '', drive: null, firstBoot: [] };

type Installing = Extract<MachinePhase, { name: 'installing' }>;

/** Ends with the restart of the machine, else when the signal is aborted. @throws its reason */
export async function runInstaller(machine: Machine, image: KernelImage, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { phase } = machine.state;
    if (phase.name !== 'installing') return;
    if (phase.step === 0) await begin(machine, image, signal);
    else if (phase.step === 1) await install(machine, phase, signal);
    else if (phase.step === 2) await report(machine, phase, signal);
    else if (phase.step === 3) await reportFailure(machine, phase, signal);
    else return untilAborted(signal);
  }
}

/** Saves the next step, and the line of the ledger with it. */
async function enterStep(machine: Machine, next: Partial<Installing>, line?: LedgerNote): Promise<void> {
  const { phase } = machine.state;
  if (phase.name !== 'installing') return;
  machine.state.phase = { ...phase, ...next };
  await machine.save(line);
}

const lineOf = ({ drive, system }: InstallPlan, outcome: string): LedgerNote => ({
  kind: 'install',
  what: `${drive ?? 'no drive'} ${system}`,
  outcome,
  by: 'installer',
});

const driveOf = (machine: Machine, { drive }: InstallPlan): DriveState | undefined =>
  machine.state.drives.find(({ name, isMissing }) => name === drive && isMissing !== true);

async function begin(machine: Machine, image: KernelImage, signal: AbortSignal): Promise<void> {
  const plan = await readPlan(machine, image, signal);
  const drive = driveOf(machine, plan);
  if (drive === undefined) return enterStep(machine, { step: 3, plan }, lineOf(plan, 'failed'));
  drive.content = `a part of ${plan.system} ${machine.state.bootId}`;
  delete drive.system;
  const until = machine.around.time.now() + (plan.system === 'esxi' ? ESXI_MS : INSTALL_MS);
  await enterStep(machine, { step: 1, plan, until }, lineOf(plan, 'begun'));
}

async function readPlan(machine: Machine, image: KernelImage, signal: AbortSignal): Promise<InstallPlan> {
  const ask = async (url: string) => (await fetchText(machine, url, signal)) ?? '';
  try {
    return installPlan(machine, await (isWindowsPe(image) ? windowsAnswers(machine, ask) : answersOf(image, ask)));
  } catch (error) {
    machine.around.tell(machine, `the installer has no answers: ${(error as Error).message}`);
    return NOTHING;
  }
}

type AskText = (url: string) => Promise<string>;

/** A boot.cfg names the answers, others are the answers. */
async function answersOf(image: KernelImage, ask: AskText): Promise<string> {
  const first = await ask(answersUrl(image));
  const [, url] = /^kernelopt=.*\bks=(\S+)/m.exec(first) ?? [];
  return url === undefined ? first : ask(url);
}

/** As `startup.ps1` of RackHD's Windows PE: the answers, then the script that begins the setup. */
async function windowsAnswers({ facts }: Machine, ask: AskText): Promise<string> {
  const url = (template: string) => `/api/2.0/templates/${template}?macs=${facts.macs[0]}`;
  return [await ask(url('unattend_server2012.xml')), await ask(url('winpe-kickstart.ps1'))].join('\n');
}

async function install(machine: Machine, { until, plan = NOTHING }: Installing, signal: AbortSignal): Promise<void> {
  await machine.around.time.until(until, signal);
  const drive = driveOf(machine, plan);
  const script = plan.postScript === undefined ? '' : await fetchText(machine, plan.postScript, signal);
  if (drive === undefined || script === undefined) return enterStep(machine, { step: 3 }, lineOf(plan, 'failed'));
  drive.content = `${plan.system} ${machine.state.bootId}`;
  drive.system = {
    name: plan.system,
    hostname: plan.hostname,
    since: machine.around.time.now(),
    callbacks: [...plan.firstBoot, ...callbacksIn(script)],
  };
  await enterStep(machine, { step: 2 }, lineOf(plan, 'done'));
}

async function report(machine: Machine, { plan = NOTHING }: Installing, signal: AbortSignal): Promise<void> {
  const answer = plan.succeeded === undefined ? '' : await fetchText(machine, plan.succeeded, signal);
  // ESXi does not look at the result of its script.
  if (answer === undefined && plan.system !== 'esxi') return enterStep(machine, { step: 3 });
  await machine.reboot('installer');
}

async function reportFailure(machine: Machine, { plan = NOTHING }: Installing, signal: AbortSignal): Promise<void> {
  if (plan.failed !== undefined) await fetchText(machine, plan.failed, signal);
  await enterStep(machine, { step: 4 });
}
