/**
 * The daemons that the user has logged in to, with their tokens, in `~/.config/nw/contexts.json`. Owns that file: only its
 * owner may read it, and it is replaced atomically.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { property } from '../../engine/vocabulary/json.ts';
import { codeOf } from '../../engine/vocabulary/thrown-values.ts';
import { CommandError } from './exit-codes.ts';

export interface Context {
  url: string;
  token: string;
  user: string;
  /** File with the certificate, or the authority, that the daemon is trusted by. */
  ca?: string;
  /** Absent: the token ends. */
  renewal?: Renewal;
}

/** How a token of a provider is renewed. */
export interface Renewal {
  issuer: string;
  clientId: string;
  /** Whether ID tokens are sent instead of access tokens. */
  idTokens: boolean;
  refreshToken: string;
  /** The end of the token; ISO 8601. */
  expiresAt: string;
}

interface Contexts {
  current: string | null;
  contexts: Record<string, Context>;
}

const OTHERS = 0o077;

export function contextsFile(): string {
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
  const path = wrongPath(parsed);
  if (path === undefined) return parsed as Contexts;
  throw new CommandError(
    `${file}: the value at /${path.join('/')} is not one that nw login writes; correct it, or remove the file and log in again`,
  );
}

/** Without a schema: loading its validator takes longer than most commands. @returns the keys to a wrong value */
function wrongPath(parsed: unknown): string[] | undefined {
  const current = property(parsed, 'current');
  if (current !== null && !isText(current)) return ['current'];
  const contexts = property(parsed, 'contexts');
  if (typeof contexts !== 'object' || contexts === null) return ['contexts'];
  for (const [name, context] of Object.entries(contexts)) {
    const wrong = ['url', 'token', 'user', 'ca'].find((key) => {
      const value = property(context, key);
      return !isText(value) && !(key === 'ca' && value === undefined);
    });
    if (wrong !== undefined) return ['contexts', name, wrong];
    const renewal = property(context, 'renewal');
    const isRenewal = ['issuer', 'clientId', 'refreshToken', 'expiresAt'].every((key) =>
      isText(property(renewal, key)),
    );
    if (renewal !== undefined && !isRenewal) return ['contexts', name, 'renewal'];
  }
  return undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

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
