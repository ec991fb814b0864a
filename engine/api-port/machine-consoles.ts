/** The port of the API to the serial consoles of machines, whose output is kept as a log for each node. */
import { type Static, Type } from 'typebox';
import { consoleSources, consoleStates } from '../vocabulary/states.ts';
import { orNull, time, words } from './schemas.ts';

export const newConsole = Type.Object(
  { source: { ...words(consoleSources), description: 'the obm by which it is read' } },
  { additionalProperties: false },
);

export const consoleRecord = Type.Object(
  {
    source: orNull(words(consoleSources)),
    state: words(consoleStates),
    since: orNull(time),
    error: orNull(Type.String({ description: 'Why it is not connected' })),
    lines: Type.Integer({ description: 'How many are kept' }),
    seq: Type.Integer({ description: 'Of the newest line; 0: there is none' }),
  },
  { title: 'MachineConsole' },
);

export const consoleLine = Type.Object(
  {
    seq: Type.Integer({ description: '1, 2, 3 ... of the node, also over restarts' }),
    at: time,
    text: Type.String({ description: 'Without control characters and secrets' }),
    kind: { ...words(['output', 'note']), description: '`note`: a remark of the daemon, such as on a gap' },
  },
  { title: 'ConsoleLine' },
);

/** The longest input in characters. */
const INPUT_LENGTH = 1_024;

export const consoleInput = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: INPUT_LENGTH,
      pattern: '^[^\\u001d]*$',
      description: 'Keys as a terminal sends them: `\\r` is Enter, `\\u0003` is Ctrl-C; all but Ctrl-]',
    }),
  },
  { additionalProperties: false },
);

export type ConsoleRecord = Static<typeof consoleRecord>;
export type ConsoleLine = Static<typeof consoleLine>;
export type NewConsole = Static<typeof newConsole>;

/** The newest lines of a console that is on. */
export interface ConsoleTail {
  capture: ConsoleRecord;
  lines: ConsoleLine[];
}

export interface MachineConsoles {
  /** @param node of an existing node */
  get(node: string): Promise<ConsoleRecord>;
  /**
   * Switches the capture on; repeated, it changes nothing.
   * @throws NodewrightError OBM_MISSING; CONSOLE_UNSUPPORTED (the BMC says that it has no serial over LAN); NOT_FOUND
   */
  switchOn(node: string, wanted: NewConsole): Promise<ConsoleRecord>;
  /** The log stays. */
  switchOff(node: string): Promise<void>;
  /** Returns the lines after a position, oldest first; there may be more if there are as many as the limit. */
  log(node: string, after: number, limit: number): Promise<ConsoleLine[]>;
  /**
   * Yields the lines after a position as they come, and an empty list about once a second.
   * @param after undefined: only new ones
   * @throws NodewrightError TOO_MANY_REQUESTS
   */
  follow(node: string, after: number | undefined, signal: AbortSignal): Promise<AsyncIterable<ConsoleLine[]>>;
  /** Has the text typed at the machine, at most once. @throws NodewrightError CONSOLE_UNCONNECTED, TOO_MANY_REQUESTS */
  type(node: string, text: string): Promise<void>;
}
