/**
 * The daemons that the user has logged in to, with their tokens, in `~/.config/nw/contexts.json`. Owns that file: only its
 * owner may read it, and it is replaced atomically.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { validator } from '../../engine/api-port/values.ts';
import { codeOf } from '../../engine/vocabulary/thrown-values.ts';
import { CommandError } from './exit-codes.ts';

export interface Context {
  url: string;
  token: string;
  user: string;
  /** File with the certificate, or the authority, that the daemon is trusted by. */
  ca?: string;
}

interface Contexts {
  current: string | null;
  contexts: Record<string, Context>;
}

const text = Type.String({ minLength: 1, maxLength: 100_000 });
const contextSchema = Type.Object({ url: text, token: text, user: text, ca: Type.Optional(text) });
const contextsSchema = Type.Object({
  current: Type.Union([text, Type.Null()]),
  contexts: Type.Record(Type.String(), contextSchema),
});

const OTHERS = 0o077;

function contextsFile(): string {
  const { XDG_CONFIG_HOME, NW_CONTEXTS } = process.env;
  return NW_CONTEXTS || join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'nw', 'contexts.json');
}

/** @throws CommandError if the file is not as this program writes it, or if others may read it */
export function readContexts(): Contexts {
  const file = contextsFile();
  let content: string;
  try {
    if ((statSync(file).mode & OTHERS) !== 0)
      throw new CommandError(`${file} can be read by others, although it contains tokens; run: chmod 600 ${file}`);
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { current: null, contexts: {} };
    throw error;
  }
  const parsed = parse(content);
  const [violation] = validator.violations(contextsSchema, parsed);
  if (violation === undefined) return parsed as Contexts;
  throw new CommandError(`${file}: ${violation.path} ${violation.message}; correct it, or remove it and log in again`);
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}

export function writeContexts(contexts: Contexts): void {
  const file = contextsFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
