/**
 * A microkernel of RackHD with its agent, `bootstrap.js`: asks for a list of commands every five seconds, and submits their results
 * with `error` instead of an exit code. It has neither keys nor progress.
 */

import { listIn } from '../../../vocabulary/json.ts';
import { answerCommand } from '../commands/answer-command.ts';
import { BootFiles } from '../commands/boot-files.ts';
import { pauseFor } from '../commands/command-run.ts';
import { withJobs } from '../commands/drive-jobs.ts';
import { kernelWord } from '../commands/kernel-words.ts';
import type { KernelImage } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { AGENT_LEAST_MS, AGENT_PAUSE_MS, AgentExchange, assignmentIn } from './agent-exchange.ts';
import { restart } from './restart.ts';

const RETRIES = 5;
/** Field time until a command of an agent without timeouts is given up. */
const DEADLINE_MS = 24 * 3_600_000;
/** Characters of output: its agent ends commands that print more. */
const RACKHD_OUTPUT = 1_024_000;
const CLOUD_CONFIG = /datasources=\[?'?url:https?:\/\/([^/'\]]+)/;

/** The daemon's address in the command line: of RackHD's own kernel, or of RancherOS. */
const addressIn = ({ cmdline }: KernelImage): string =>
  kernelWord(cmdline, 'API_CB').replace(/^https?:\/\//, '') || (CLOUD_CONFIG.exec(cmdline)?.[1] ?? '');

/** Runs until the signal is aborted. @throws its reason */
export async function runRackhdAgent(machine: Machine, image: KernelImage, signal: AbortSignal): Promise<void> {
  const api = `http://${addressIn(image)}/api/current`;
  await withJobs(machine, signal, async (ending) => {
    const requests = new AgentExchange(machine, { api, key: '' }, ending);
    await new RackhdAgent(machine, image, requests, ending).boot();
  });
}

class RackhdAgent {
  readonly #machine: Machine;
  readonly #image: KernelImage;
  readonly #requests: AgentExchange;
  readonly #files = new BootFiles();
  readonly #signal: AbortSignal;

  constructor(machine: Machine, image: KernelImage, requests: AgentExchange, signal: AbortSignal) {
    this.#machine = machine;
    this.#image = image;
    this.#requests = requests;
    this.#signal = signal;
  }

  /** Its container fetches the script until it gets it. */
  async boot(): Promise<never> {
    const { facts } = this.#machine;
    const mac = facts.macs.find((_, nic) => facts.model.nics[nic]?.boots === true) ?? facts.macs[0] ?? '';
    for (;;) {
      const { status, text } = await this.#requests.get(`/tasks/bootstrap.js?macAddress=${mac}`);
      const identifier = /\/tasks\/([^'"/]+)['"]/.exec(text)?.[1];
      if (status === 200) await this.#serve(identifier ?? mac);
      this.#machine.around.tell(this.#machine, `the daemon answers ${status} to a request for RackHD's agent`);
      await this.#pause();
    }
  }

  #pause(times = 1): Promise<void> {
    return pauseFor(this.#machine, times * AGENT_PAUSE_MS, AGENT_LEAST_MS, this.#signal);
  }

  async #serve(identifier: string): Promise<never> {
    for (;;) {
      const { text } = await this.#requests.get(`/tasks/${identifier}`);
      const { assignment, tasks } = assignmentIn(text);
      if (tasks.length > 0) await this.#run(identifier, assignment, tasks);
      await this.#pause();
    }
  }

  /** Runs the commands in order; the first failure ends them. */
  async #run(identifier: string, assignment: Record<string, unknown>, tasks: Record<string, unknown>[]): Promise<void> {
    let restarts = false;
    for (const task of tasks) {
      const answer = await answerCommand({
        machine: this.#machine,
        image: this.#image,
        files: this.#files,
        command: String(task.cmd),
        deadline: this.#machine.around.time.now() + DEADLINE_MS,
        callback: '',
        signal: this.#signal,
        progress: () => {},
        isCancelled: () => false,
      });
      const { exitCode, stdout, stderr } = answer;
      const error = exitCode === 0 ? null : { killed: false, code: exitCode, signal: null, cmd: task.cmd };
      Object.assign(task, { stdout: stdout.slice(0, RACKHD_OUTPUT), stderr: stderr.slice(0, RACKHD_OUTPUT), error });
      restarts ||= answer.restarts === true;
      if (exitCode !== 0 && !listIn(task.acceptedResponseCodes).includes(exitCode)) break;
    }
    const submission = this.#submit(identifier, { ...assignment, tasks });
    if (restarts) await restart(this.#machine, submission, this.#signal);
    else await submission;
  }

  /** Any answer is final. */
  async #submit(identifier: string, results: Record<string, unknown>): Promise<void> {
    for (let tries = 1; tries <= RETRIES; tries += 1) {
      const { status } = await this.#requests.post(`/tasks/${identifier}`, results);
      if (status !== 0) return;
      await this.#pause(tries);
    }
  }
}
