/** Processes that simulate, one plan at a time each. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { SimulationOutcome, SimulationPlan } from './plan.ts';
import type { SimulatorRequest } from './simulator.ts';

const END_MS = 5_000;

export interface Simulator {
  run(plan: SimulationPlan, trace?: string): Promise<SimulationOutcome>;
  close(): Promise<void>;
}

/** @param program its path (`program.ts`) */
export async function startSimulator(program: string): Promise<Simulator> {
  const child = fork(program, { execArgv: ['--enable-source-maps', '--max-semi-space-size=32'] });
  await answerOf(child);
  return {
    async run(plan, trace) {
      const request: SimulatorRequest = { plan, ...(trace !== undefined && { trace }) };
      child.send(request);
      return (await answerOf(child)) as SimulationOutcome;
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      // It removes its folder, also in the middle of a simulation.
      child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null, signal: string | null) =>
      reject(new Error(`the simulator has ended with ${code ?? signal}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}
