/** An engine in a separate process, to be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { shortLived } from '../../node-arguments.mjs';
import { WAIT_MS } from '../ava/patience.ts';
import type { Scope } from '../ava/scope.ts';
import { newDataDir, TestEngine } from '../engine/engine.ts';
import { testProgram } from '../servers/program.ts';

export class Victim {
  readonly dataDir: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.#child = spawn(process.execPath, [...shortLived(), ...testProgram('support/engine/engine-child'), dataDir], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  static async start(dataDir?: string): Promise<Victim> {
    const victim = new Victim(dataDir ?? (await newDataDir()));
    await victim.#answer();
    return victim;
  }

  async #answer(): Promise<Record<string, unknown>> {
    const { value } = await this.#lines.next();
    return JSON.parse(value ?? '{}') as Record<string, unknown>;
  }

  async ask(command: object): Promise<Record<string, unknown>> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    return this.#answer();
  }

  async launch(name: string, options: object, nodeId: string | null = null): Promise<string> {
    return (await this.ask({ launch: { name, options, nodeId } })).id as string;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

/** The engine that takes over, closed when its owner `t` ends. */
export async function heir(t: Scope, victim: Victim): Promise<TestEngine> {
  const it = await new TestEngine(victim.dataDir, {}).open();
  t.teardown(() => it.close());
  return it;
}

const VICTIM_LOOK_MS = 20;

/** Resolves when the ledger contains the line; an effect outside of the engine can only be polled for. */
export async function written(victim: Victim, line: string): Promise<void> {
  const ledger = new TestEngine(victim.dataDir, {});
  const limit = performance.now() + WAIT_MS;
  while (!(await ledger.lines('ledger')).includes(line)) {
    if (performance.now() > limit) throw new Error(`the ledger has no line "${line}"`);
    await setTimeout(VICTIM_LOOK_MS);
  }
}
