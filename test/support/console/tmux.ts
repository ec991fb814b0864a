/** A terminal as a person has it: a private tmux server, whose screen is read and whose keys are pressed. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { folder } from '../ava/folder.ts';
import { WAIT_MS } from '../ava/patience.ts';
import type { Scope } from '../ava/scope.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** Why terminals cannot be tested here; undefined: they can. */
export const noTmux = hasTmux ? undefined : 'tmux is not installed';

export interface Terminal {
  /** The visible lines, as plain text. */
  screen(): string;
  /** All that was visible, with escape sequences of colors. */
  raw(): string;
  /** Types a text, then Enter. */
  type(text: string): void;
  /** Presses a key by tmux's name, such as C-c. */
  press(key: string): void;
  /** Resolves with the screen when it matches. */
  shows(pattern: RegExp): Promise<string>;
}

const SCREEN_LOOK_MS = 50;
const COLUMNS = 120;
const ROWS = 40;

/** Runs a shell command on a new terminal; its exit code is shown as `exit code <n>` when it has ended. */
export function openTerminal(t: Scope, command: string, env: NodeJS.ProcessEnv = {}): Terminal {
  const socket = join(folder(t), 'tmux');
  const tmux = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      env: { ...process.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', ...env },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`tmux ${args[0]} failed: ${stderr}`);
    return stdout;
  };
  // A shell without a trap ends with the program that Ctrl-C ended.
  const shell = `trap : INT; ${command}; echo "exit code $?"; exec cat`;
  tmux('new-session', '-d', '-x', `${COLUMNS}`, '-y', `${ROWS}`, shell);
  t.teardown(() => tmux('kill-server'));
  const screen = () => tmux('capture-pane', '-p', '-J');
  return {
    screen,
    raw: () => tmux('capture-pane', '-p', '-e', '-S', '-'),
    type: (text) => {
      tmux('send-keys', '-l', text);
      tmux('send-keys', 'Enter');
    },
    press: (key) => void tmux('send-keys', key),
    async shows(pattern) {
      for (const until = Date.now() + WAIT_MS; ; await pause(SCREEN_LOOK_MS)) {
        const seen = screen();
        if (pattern.test(seen)) return seen;
        if (Date.now() > until) throw new Error(`the screen does not show ${pattern}:\n${seen}`);
      }
    },
  };
}
