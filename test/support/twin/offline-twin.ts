/** A machine of a twin without a network and without a life of its own: commands are answered from its state. */

import { BootFiles } from '../../../engine/hardware/twin/commands/boot-files.ts';
import type { CommandRun } from '../../../engine/hardware/twin/commands/command-run.ts';
import type { TimedFault } from '../../../engine/hardware/twin/faults/fault.ts';
import { FaultsAtWork } from '../../../engine/hardware/twin/faults/faults-at-work.ts';
import { FieldTime } from '../../../engine/hardware/twin/machine/field-time.ts';
import { factsOfMachine } from '../../../engine/hardware/twin/machine/machine-facts.ts';
import type { MachineState } from '../../../engine/hardware/twin/machine/machine-state.ts';
import type { Model } from '../../../engine/hardware/twin/machine/model.ts';
import { Machine, type SouthAnswer, type SouthRequest } from '../../../engine/hardware/twin/machine/twin-machine.ts';
import { newState, smallModel } from './twin-machine.ts';

export interface OfflineTwin {
  machine: Machine;
  /** `what: outcome`. */
  ledger: string[];
  problems: string[];
  asked: SouthRequest[];
}

interface Options {
  model?: Model;
  speed?: number;
  /** Answers of the daemon; a machine without it has no network. */
  answer?: (asking: SouthRequest) => SouthAnswer | undefined;
  state?: MachineState;
  faults?: readonly TimedFault[];
  /** Called with each state that is saved. */
  saved?: (state: string) => void;
}

export function offlineTwin({
  model = smallModel,
  speed = 6_000,
  answer,
  state,
  saved,
  faults = [],
}: Options = {}): OfflineTwin {
  const facts = factsOfMachine(7, 0, model);
  const [ledger, problems, asked]: [string[], string[], SouthRequest[]] = [[], [], []];
  const machine = new Machine(facts, state ?? newState(facts), {
    time: FieldTime.from(speed),
    leastPauseMs: 50,
    faults: new FaultsAtWork({ timed: faults, rated: [] }, 7, () => 0),
    ask: async (_, asking) => {
      asked.push(asking);
      const said = answer?.(asking);
      if (said === undefined) throw new Error('it has no network');
      return said;
    },
    save: async (_, line) => {
      saved?.(JSON.stringify(machine.state));
      if (line !== undefined) ledger.push(`${line.what}: ${line.outcome}`);
    },
    alert: () => {},
    registered: () => {},
    tell: (_, text) => problems.push(text),
  });
  return { machine, ledger, problems, asked };
}

export const runOn = ({ machine }: OfflineTwin, command: string, { timeoutSec = 3_600 } = {}): CommandRun => ({
  machine,
  image: { kernel: 'vmlinuz', cmdline: 'quiet nodewright.key=k' },
  files: new BootFiles(),
  command,
  deadline: machine.around.time.now() + timeoutSec * 1_000,
  callback: 'http://callback',
  signal: new AbortController().signal,
  progress: () => {},
  isCancelled: () => false,
});
