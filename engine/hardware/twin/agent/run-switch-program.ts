/**
 * The programs of RackHD for switches, such as `taskrunner.py`: ask for work every five seconds, run the file of each command, and return
 * the assignment with the output, or with `error`.
 */

import { messageOf } from '../../../vocabulary/thrown-values.ts';
import { pauseFor } from '../commands/command-run.ts';
import { kernelWord } from '../commands/kernel-words.ts';
import { answerSwitchScript } from '../commands/switch-scripts.ts';
import { SWITCH_TASKS } from '../installing/boot-kind.ts';
import type { KernelImage } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { AGENT_LEAST_MS, AGENT_PAUSE_MS, AgentExchange, assignmentIn } from './agent-exchange.ts';

const SUBMISSIONS = 3;

/** Runs until the signal is aborted. @throws its reason */
export async function runSwitchProgram(machine: Machine, image: KernelImage, signal: AbortSignal): Promise<never> {
  const requests = new AgentExchange(machine, { api: kernelWord(image.cmdline, SWITCH_TASKS), key: '' }, signal);
  const pause = () => pauseFor(machine, AGENT_PAUSE_MS, AGENT_LEAST_MS, signal);
  for (;;) {
    const { text } = await requests.get('');
    const { assignment, tasks } = assignmentIn(text);
    for (const task of tasks) {
      const error = await runFile(machine, task, signal);
      if (error === undefined) continue;
      task.error = error;
      break;
    }
    for (let tries = 0; tasks.length > 0 && tries < SUBMISSIONS; tries += 1) {
      const { status } = await requests.post('', { ...assignment, tasks });
      if (status !== 0) break;
      await pause();
    }
    await pause();
  }
}

/** Sets the output. @returns the text of the exception that the program catches; undefined: none */
async function runFile(machine: Machine, task: Record<string, unknown>, signal: AbortSignal) {
  if (typeof task.downloadUrl !== 'string') return "'downloadUrl'";
  try {
    const { status, text } = await machine.around.ask(machine, { method: 'GET', url: task.downloadUrl }, signal);
    if (status !== 200) return `HTTP Error ${status}`;
    const { exitCode, stdout, stderr } = await answerSwitchScript(text, machine, signal);
    task.stdout = stdout;
    return exitCode === 0 ? undefined : stderr;
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}
