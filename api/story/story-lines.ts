/** The lines of a story, with times since the launch. Nothing before it has a line. */

import type { VirtualTime } from '../../engine/assembly/virtual/virtual-time.ts';
import { shellAssignments } from '../../engine/hardware/twin/commands/shell-words.ts';
import { type BootKind, bootKindOf } from '../../engine/hardware/twin/installing/boot-kind.ts';
import type { LedgerNote } from '../../engine/hardware/twin/machine/ledger.ts';
import type { MachinePhase } from '../../engine/hardware/twin/machine/machine-state.ts';
import { eventIn, type Publication } from '../../engine/vocabulary/event.ts';
import type { StoryEffect } from './story-record.ts';

/** Characters of a command. */
const COMMAND_LENGTH = 80;

/** A run of a task, with the states that it has been in. */
export interface StoryRunOfTask {
  taskName: string;
  states: Set<string>;
}

interface TaskProgress {
  taskId: string;
  taskName: string;
  label: string;
  state: string;
}

export class StoryLines {
  readonly lines: string[] = [];
  readonly ledger: StoryEffect[] = [];
  /** By its id. */
  readonly taskRuns = new Map<string, StoryRunOfTask>();
  readonly #time: VirtualTime;
  #launchedAt: number | undefined;
  #phase = '';

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** The story begins. */
  launch(): void {
    this.#launchedAt = this.#time.now;
  }

  /** ms since the launch; undefined before it. */
  get elapsedMs(): number | undefined {
    return this.#launchedAt === undefined ? undefined : Math.round(this.#time.now - this.#launchedAt);
  }

  add(text: string): void {
    const { elapsedMs } = this;
    if (elapsedMs !== undefined) this.lines.push(`${Math.floor(elapsedMs / 1_000)} s ${text}`);
  }

  addEffect(note: LedgerNote): void {
    const { elapsedMs } = this;
    if (elapsedMs === undefined) return;
    this.ledger.push({ atMs: elapsedMs, ...note });
    // A boot has the line of its phase.
    if (note.kind !== 'boot') this.add(note.outcome === 'done' ? note.what : `${note.what}: ${note.outcome}`);
  }

  enter(phase: MachinePhase): void {
    if (phase.name === this.#phase) return;
    this.#phase = phase.name;
    this.add(phaseText(phase));
  }

  /** @param answer of the daemon to its agent */
  addCommand(answer: string): void {
    const { NW_COMMAND: command } = answer.startsWith('NW_') ? shellAssignments(answer) : {};
    if (command === undefined) return;
    const count = command.trim().split('\n').length;
    this.add(`agent runs ${count === 1 ? command.slice(0, COMMAND_LENGTH) : `a script of ${count} lines`}`);
  }

  addEvent(publication: Publication): void {
    const { type, data } = eventIn(publication) ?? {};
    const progress = data?.taskProgress as TaskProgress | undefined;
    if (type !== 'graph' || progress === undefined || this.elapsedMs === undefined) return;
    const { taskId, taskName, label, state } = progress;
    const run = this.taskRuns.get(taskId) ?? { taskName, states: new Set() };
    this.taskRuns.set(taskId, run);
    // A task that asks and waits in turn enters both states again and again.
    if (run.states.has(state)) return;
    run.states.add(state);
    this.add(`task ${label} ${state}`);
  }
}

const bootTexts: Record<BootKind, string> = {
  agent: 'the microkernel',
  'rackhd-agent': 'the microkernel',
  'switch-runner': 'the program of a switch',
  installer: 'the installer',
  unknown: 'an unknown kernel',
};

function phaseText(phase: MachinePhase): string {
  switch (phase.name) {
    case 'off':
      return 'is off';
    case 'post':
      return 'is on, and tests itself';
    case 'pxe':
      return 'asks for its boot';
    case 'media':
      return 'reads the CD of its BMC';
    case 'loading':
      return `boots ${bootTexts[bootKindOf(phase.image)]}`;
    case 'agent':
      return 'the agent is up';
    case 'installing':
      return 'the installer is up';
    case 'disk':
      return 'boots from its disk';
  }
}
