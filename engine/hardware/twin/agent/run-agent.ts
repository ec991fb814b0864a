/**
 * A microkernel with this project's agent: the requests of `api/agent/bootstrap.sh` and of the microkernel's `init`, in their order
 * and with their rules. Commands are answered, not run.
 *
 * 1. The agent has another name in each run, and after each answer that was lost.
 * 2. A result is submitted until the daemon has it; a rejection is final, and reported as the failure of the command.
 * 3. Pauses are those of the script in field time, but never so short that a daemon which is away is flooded.
 */
import { randomUUID } from 'node:crypto';
import { answerCommand } from '../commands/answer-command.ts';
import { BootFiles } from '../commands/boot-files.ts';
import { type CommandAnswer, failedWith, pauseFor } from '../commands/command-run.ts';
import { withJobs } from '../commands/drive-jobs.ts';
import { kernelWord } from '../commands/kernel-words.ts';
import { shellAssignments } from '../commands/shell-words.ts';
import type { KernelImage } from '../machine/machine-state.ts';
import type { Machine } from '../machine/twin-machine.ts';
import { AGENT_LEAST_MS, AGENT_PAUSE_MS, AgentExchange } from './agent-exchange.ts';
import { ProgressReports } from './progress-reports.ts';
import { restart } from './restart.ts';

const POLL_SEC = 25;
const STDERR_LIMIT = 4_096;

/** Runs until the signal is aborted. @throws its reason */
export async function runAgent(machine: Machine, image: KernelImage, signal: AbortSignal): Promise<void> {
  const api = kernelWord(image.cmdline, 'nodewright.api');
  const node = kernelWord(image.cmdline, 'nodewright.node');
  const key = kernelWord(image.cmdline, 'nodewright.key');
  await withJobs(machine, signal, (ending) => {
    const requests = new AgentExchange(machine, { api, key }, ending);
    return new Agent(machine, image, { requests, node, signal: ending }).boot();
  });
}

interface Scene {
  requests: AgentExchange;
  node: string;
  signal: AbortSignal;
}

/** As the daemon sends it, under the names of its shell variables. */
interface Assignment {
  id: string;
  taskId: string;
  timeoutSec: number;
  limit: number;
  listens: boolean;
  isCancelled: boolean;
  callback: string;
  command: string;
}

function assignmentOf(text: string): Assignment {
  const of = shellAssignments(text);
  return {
    id: of.NW_ID ?? '',
    taskId: of.NW_TASK ?? '',
    timeoutSec: Number(of.NW_TIMEOUT),
    limit: Number(of.NW_LIMIT),
    listens: of.NW_LISTENS !== undefined && of.NW_LISTENS !== '',
    isCancelled: of.NW_CANCELLED !== undefined && of.NW_CANCELLED !== '',
    callback: of.NW_CALLBACK ?? '',
    command: of.NW_COMMAND ?? '',
  };
}

class Agent {
  readonly #machine: Machine;
  readonly #image: KernelImage;
  readonly #scene: Scene;
  readonly #files = new BootFiles();
  #name = randomUUID();

  constructor(machine: Machine, image: KernelImage, scene: Scene) {
    this.#machine = machine;
    this.#image = image;
    this.#scene = scene;
  }

  /** As the microkernel: fetches the agent's script, runs it, and does so again when it has ended. */
  async boot(): Promise<never> {
    const { requests, node } = this.#scene;
    for (;;) {
      const status = await requests.get(`/tasks/bootstrap.sh?nodeId=${node}`);
      if (status.status === 200) await this.#serve();
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return pauseFor(this.#machine, AGENT_PAUSE_MS, AGENT_LEAST_MS, this.#scene.signal);
  }

  /** Ends when the daemon does not know the node. */
  async #serve(): Promise<void> {
    const { requests, node } = this.#scene;
    this.#name = randomUUID();
    for (;;) {
      const query = `agent=${this.#name}&wait=${POLL_SEC}&format=sh`;
      const since = performance.now();
      const { status, text } = await requests.get(`/tasks/${node}?${query}`);
      // A daemon that stops answers without waiting.
      const isEarly = performance.now() - since < AGENT_LEAST_MS;
      if (status === 200) await this.#run(assignmentOf(text));
      else if (status === 429 || (status === 204 && isEarly)) await this.#pause();
      else if (status === 403) {
        this.#machine.around.tell(this.#machine, `the daemon rejects requests of the agent: ${text.slice(0, 500)}`);
        await this.#pause();
      } else if (status === 404) {
        this.#machine.around.tell(this.#machine, `the daemon has no node ${node}; the agent ends`);
        return;
      } else if (status !== 204) {
        this.#name = randomUUID();
        await this.#pause();
      }
    }
  }

  async #run(assignment: Assignment): Promise<void> {
    const { requests, node, signal } = this.#scene;
    const machine = this.#machine;
    const { taskId, listens, isCancelled, id } = assignment;
    const check = listens ? `/tasks/${node}/${id}` : undefined;
    const reports = new ProgressReports(machine, requests, { taskId, check, isCancelled, signal });
    let answer: CommandAnswer;
    try {
      answer = await answerCommand({
        machine,
        image: this.#image,
        files: this.#files,
        command: assignment.command,
        deadline: machine.around.time.now() + assignment.timeoutSec * 1_000,
        callback: assignment.callback,
        signal,
        progress: (line) => reports.note(line),
        isCancelled: () => reports.isCancelled,
      });
    } finally {
      await reports.close();
    }
    const submission = this.#submit(assignment, answer);
    if (answer.restarts === true) await restart(machine, submission, signal);
    else await submission;
  }

  /** Implements rule 2. */
  async #submit(assignment: Assignment, answer: CommandAnswer): Promise<void> {
    const rejection = await this.#handIn(assignment, answer);
    if (rejection === undefined) return;
    await this.#handIn(assignment, failedWith(125, `the daemon rejected the result of this command with ${rejection}`));
  }

  /** @returns the status of a rejection */
  async #handIn({ id, limit }: Assignment, { exitCode, stdout, stderr }: CommandAnswer): Promise<number | undefined> {
    const { requests, node } = this.#scene;
    const output = Buffer.from(stdout);
    const result = {
      id,
      exitCode,
      encoding: 'base64',
      stdoutBytes: output.length,
      stdout: output.subarray(0, limit).toString('base64'),
      stderr: Buffer.from(stderr).subarray(-STDERR_LIMIT).toString('base64'),
    };
    for (;;) {
      const { status } = await requests.post(`/tasks/${node}`, { identifier: node, tasks: [result] });
      if (status >= 200 && status < 300) return undefined;
      if (status >= 400 && status < 500 && status !== 408 && status !== 429) return status;
      await this.#pause();
    }
  }
}
