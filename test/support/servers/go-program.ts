/** Programs that Go builds once into the user's cache, from the sources of a module, with corrections. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { onPath } from '../ava/on-path.ts';

export interface GoProgram {
  readonly name: string;
  readonly module: string;
  readonly version: string;
  /** Folder of the program in the module. */
  readonly command: string;
  /** Flags of its compilation. */
  readonly flags?: readonly string[];
  /** Other modules that are corrected too: they are copied into the folder `to` of the sources. */
  readonly replaced?: readonly { module: string; version: string; to: string }[];
  /** Files that are added, or replaced as a whole: texts by paths. */
  readonly added?: Readonly<Record<string, string>>;
  readonly removed?: readonly string[];
  /** Replacements, applied to every occurrence in the file. */
  readonly corrections: readonly { file: string; found: string | RegExp; put: string }[];
}

/** The path of the built program, which changes with its corrections. */
export function pathOfProgram(program: GoProgram): string {
  const text = JSON.stringify(program, (_, value) => (value instanceof RegExp ? String(value) : value));
  const recipe = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'nodewright', `${program.name}-${program.version}-${recipe}`, program.name);
}

/** Builds it if necessary. @param limit ms @returns undefined, or the reason of a failure */
export async function buildProgram(program: GoProgram, limit: number): Promise<string | undefined> {
  const path = pathOfProgram(program);
  if (existsSync(path)) return undefined;
  if (!onPath('go')) return `no ${program.name}, and no Go to build it with`;
  const work = join(path, '..', randomBytes(4).toString('hex'));
  const until = AbortSignal.timeout(limit);
  try {
    const source = join(work, 'source');
    mkdirSync(work, { recursive: true });
    await copyModule(program, source, until);
    for (const other of program.replaced ?? []) {
      await copyModule(other, join(source, other.to), until);
      await go(source, until, 'mod', 'edit', `-replace=${other.module}=./${other.to}`);
    }
    correct(source, program);
    await go(
      source,
      until,
      'build',
      '-trimpath',
      ...(program.flags ?? []),
      '-o',
      join(work, program.name),
      program.command,
    );
    renameSync(join(work, program.name), path);
    return undefined;
  } catch (error) {
    return `${program.name} did not build: ${(error as Error).message}`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function copyModule({ module, version }: { module: string; version: string }, to: string, until: AbortSignal) {
  const { Dir } = JSON.parse(await go('.', until, 'mod', 'download', '-json', `${module}@${version}`));
  cpSync(Dir, to, { recursive: true });
  // Go's module cache is read-only.
  spawnSync('chmod', ['-R', 'u+w', to]);
}

function correct(source: string, { added = {}, removed = [], corrections, version }: GoProgram): void {
  for (const file of removed) rmSync(join(source, file));
  for (const [file, text] of Object.entries(added)) writeFileSync(join(source, file), text);
  for (const { file, found, put } of corrections) {
    const text = readFileSync(join(source, file), 'utf8');
    // A function, because `$'` in a replacement text would be a pattern.
    const corrected = text.replaceAll(found, () => put);
    if (corrected === text) throw new Error(`${file} differs from version ${version}`);
    writeFileSync(join(source, file), corrected);
  }
}

/** Returns its output. @throws with the end of its output */
async function go(folder: string, signal: AbortSignal, ...args: string[]): Promise<string> {
  // Uses only the installed compiler: Go would download another one for a newer module.
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false', GOWORK: 'off', CGO_ENABLED: '0' };
  const child = spawn('go', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let [output, complaint] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-1_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`go ${args[0]}: ${complaint}`);
  return output;
}
