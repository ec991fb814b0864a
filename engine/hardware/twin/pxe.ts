/**
 * The network boot of a machine: asks the daemon for its profile, as iPXE with the daemon's own start script does, until the
 * answer has a kernel or says to boot what is installed. Kernels and RAM disks are not fetched: the twin has none to run. A switch asks
 * for its program in the same way (`zero-touch.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { KernelImage } from './machine/machine-state.ts';
import type { Machine } from './machine/twin-machine.ts';
import { programIn, zeroTouchRequest } from './zero-touch.ts';

/** iPXE's pause between two requests, in field time. */
const PROFILE_AGAIN_MS = 5_000;
/** Scripts are some hundred bytes. */
const SCRIPT_LIMIT = 65_536;

/** @throws the reason of the signal */
export async function askForBoot(machine: Machine, signal: AbortSignal): Promise<KernelImage | 'disk'> {
  const { around } = machine;
  const isSwitch = machine.facts.model.switch !== undefined;
  const asking = isSwitch ? zeroTouchRequest(machine) : profileRequest(machine);
  const imageIn = isSwitch ? programIn : bootOf;
  let lastProblem = '';
  for (;;) {
    signal.throwIfAborted();
    const problem = await around
      .ask(machine, { method: 'GET', ...asking }, signal)
      .then(({ status, text }) => {
        if (status !== 200) return `the daemon answers ${status} to a request for a profile`;
        const boot = imageIn(text.slice(0, SCRIPT_LIMIT));
        noteNode(machine, text);
        return boot === 'again' ? '' : boot;
      })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        return messageOf(error);
      });
    if (typeof problem === 'object' || problem === 'disk') return problem;
    // The same once only: the daemon may be away for long.
    if (problem !== '' && problem !== lastProblem) around.tell(machine, problem);
    lastProblem = problem;
    await Promise.all([
      around.time.after(PROFILE_AGAIN_MS, signal),
      sleep(around.leastPauseMs, undefined, { signal, ref: false }),
    ]);
  }
}

function profileRequest(machine: Machine): { url: string } {
  const { facts } = machine;
  const boots = facts.macs.filter((_, nic) => facts.model.nics[nic]?.boots === true);
  const query = boots.map((mac) => `macs=${mac}&ips=${machine.address}`).join('&');
  return { url: `/api/current/profiles?${query}` };
}

/** @returns `again`: the script has neither a kernel nor an end */
export function bootOf(text: string): KernelImage | 'disk' | 'again' {
  const script = withVariables(text);
  const [, kernel, cmdline = ''] = /^\s*kernel\s+(\S+)[ \t]*(.*)$/m.exec(script) ?? [];
  // Profiles of RackHD have the words apart.
  const [, imgargs = ''] = /^\s*imgargs\s+\S+[ \t]*(.*)$/m.exec(script) ?? [];
  if (kernel !== undefined) return { kernel, cmdline: (imgargs || cmdline).trim() };
  return /^\s*(exit|sanboot)\b/m.test(script) ? 'disk' : 'again';
}

/** Replaces the variables that the script sets; the others are iPXE's own. */
function withVariables(script: string): string {
  const values = new Map<string, string>();
  const withValues = (line: string) => line.replace(/\$\{([\w-]+)\}/g, (whole, name) => values.get(name) ?? whole);
  return script
    .split('\n')
    .map((line) => {
      const text = withValues(line);
      const [, name = '', value] = /^\s*set\s+([\w-]+)\s+(.*?)\s*$/.exec(text) ?? [];
      if (value !== undefined && value.length <= SCRIPT_LIMIT) values.set(name, value);
      return text;
    })
    .join('\n');
}

const NODE = /(?:nodewright\.node=|nodeId=|\/tasks\/)([0-9a-f-]{36})/;

/** @param words that name the node: a script, or a command line */
export function noteNode(machine: Machine, words: string): void {
  const [, node] = NODE.exec(words) ?? [];
  if (node !== undefined) machine.state.node = node;
  machine.around.registered(machine);
}
