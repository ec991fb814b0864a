/**
 * Trials: a definition is imported by a process of its own before the daemon imports it, so that one that never returns,
 * ends its process or fills the memory is refused, and nothing else happens.
 *
 * Owns `tried.json` beside the texts. Relies on `trial.ts` for the process.
 *
 * 1. Texts that are asked for together share a process. When it does not come to its end, the text that it was at is
 *    refused, and the others are tried without it; when it was at none, each is tried by itself.
 * 2. A text that passed is not tried again. One that was refused is, after `AGAIN_MS`, and by the next process.
 * 3. This is no sandbox: whoever may write files into the folders is trusted, and errs now and then.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { batch } from '../store/batch.ts';
import { type Bundle, importRefusal, put } from './bundle.ts';
import { Refusal } from './refusal.ts';
import { type Outcome, tryTogether, type Verdict } from './trial.ts';
import { Tried } from './tried.ts';

/** ms for one text; a busy machine takes seconds to start a process. */
const LIMIT_MS = 10_000;
const AGAIN_MS = 600_000;
/** Of the bundles that are built together, none waits for the next build. */
const LINGER_MS = 20;
/** A machine that has no room for another process has it again soon. */
const STARTS = 5;
const PAUSE_MS = 1_000;
/** So many hashes are 64 KiB, half of what an argument may be. */
const TOGETHER = 900;

export class Trials {
  readonly #folder: string;
  readonly #tried: Promise<Tried>;
  readonly #closing = new AbortController();
  /** Refused in this process, and when. */
  readonly #refused = new Map<string, number>();
  /** Refused by what an earlier process found. */
  readonly #remembered = new Set<string>();
  readonly #verdict: (bundle: Bundle) => Promise<Refusal | undefined>;

  /** @param folder of the texts */
  constructor(folder: string) {
    this.#folder = folder;
    this.#tried = Tried.read(join(folder, 'tried.json'));
    this.#verdict = batch((bundles: Bundle[]) => this.#try(bundles), TOGETHER, LINGER_MS);
  }

  /** @throws Refusal when the text may not be imported */
  async pass(bundle: Bundle): Promise<void> {
    const { hash } = bundle;
    const tried = await this.#tried;
    if (tried.has(hash)) return;
    const refusal = this.#known(hash, tried) ?? (await this.#verdict(bundle));
    if (refusal !== undefined) throw refusal;
  }

  #known(hash: string, tried: Tried): Refusal | undefined {
    const refusal = tried.refusal(hash);
    const since = this.#refused.get(hash);
    if (refusal === undefined || (since !== undefined && performance.now() - since > AGAIN_MS)) return undefined;
    if (since === undefined) this.#remembered.add(hash);
    return refusal;
  }

  /** From now on texts that an earlier process refused are tried again. @returns whether there were any */
  retry(): boolean {
    const long = performance.now() - 2 * AGAIN_MS;
    for (const hash of this.#remembered) this.#refused.set(hash, long);
    const any = this.#remembered.size > 0;
    this.#remembered.clear();
    return any;
  }

  async #try(bundles: readonly Bundle[]): Promise<(Refusal | undefined)[]> {
    const tried = await this.#tried;
    const left = new Map(bundles.map((bundle) => [bundle.hash, bundle]));
    for (const hash of left.keys()) if (tried.has(hash)) left.delete(hash);
    for (const bundle of left.values()) await put(bundle, this.#folder);
    const verdicts = await this.#verdicts([...left.keys()]);
    for (const [hash, bundle] of left) {
      const refusal = await refusalOf(verdicts.get(hash), bundle);
      tried.add(hash, refusal);
      if (refusal !== undefined) this.#refused.set(hash, performance.now());
    }
    await tried.save();
    return bundles.map(({ hash }) => (tried.has(hash) ? undefined : tried.refusal(hash)));
  }

  /** Rule 1. */
  async #verdicts(hashes: readonly string[]): Promise<Map<string, Verdict>> {
    const all = new Map<string, Verdict>();
    for (let left = [...hashes]; left.length > 0; left = left.filter((hash) => !all.has(hash))) {
      const { verdicts, isWhole } = await this.#together(left);
      const found = [...verdicts.entries()];
      const wrong = found.filter(([, { kind }]) => kind === 'left' || kind === 'late');
      const [dead] = found.find(([, { kind }]) => kind === 'died') ?? [];
      if (isWhole || wrong.length > 0 || left.length === 1) for (const [hash, one] of found) all.set(hash, one);
      else if (dead !== undefined) {
        for (const [hash, one] of found) if (hash !== dead) all.set(hash, one);
        // Another may have used up what it lacked.
        all.set(dead, await this.#alone(dead));
      } else for (const hash of left) all.set(hash, await this.#alone(hash));
    }
    return all;
  }

  async #alone(hash: string): Promise<Verdict> {
    const { verdicts, isWhole } = await this.#together([hash]);
    const verdict = verdicts.get(hash);
    if (verdict !== undefined && (isWhole || verdict.kind !== 'passed')) return verdict;
    return { kind: 'died', code: null, signal: null };
  }

  async #together(hashes: readonly string[]): Promise<Outcome> {
    const { signal } = this.#closing;
    for (let left = STARTS; ; left -= 1) {
      signal.throwIfAborted();
      try {
        const outcome = await tryTogether(this.#folder, hashes, LIMIT_MS, signal);
        signal.throwIfAborted();
        return outcome;
      } catch (error) {
        if (signal.aborted || left === 1) throw error;
        await pause(PAUSE_MS, undefined, { signal });
      }
    }
  }

  /** The process that is under way ends; whoever waits for it gets an error. */
  close(): void {
    this.#closing.abort(new Error('the daemon stops'));
  }
}

async function refusalOf(verdict: Verdict | undefined, { hash, inputs, map }: Bundle): Promise<Refusal | undefined> {
  switch (verdict?.kind) {
    case 'passed':
      return undefined;
    case 'threw':
      return importRefusal(verdict, hash, inputs, map);
    case 'left':
      return new Refusal(`${verdict.what} after the file was loaded`, 'a file that begins nothing when it is loaded');
    case 'late':
      return new Refusal(`a file still loading after ${LIMIT_MS} ms`, 'no loop and no waiting at the top level');
    case 'died':
      return new Refusal(
        `a file that ended its process while it was loaded${endOf(verdict)}`,
        'a file that only defines',
      );
    default:
      return new Refusal('a file that could not be tried', 'one that loads in a process of its own');
  }
}

/** Node's exit code for a top-level `await` that nothing can end. */
const NEVER = 13;

function endOf({ code, signal, memory }: Extract<Verdict, { kind: 'died' }>): string {
  if (memory !== undefined) return ` (it needed more than ${memory} MiB of memory)`;
  if (signal === 'SIGABRT' || signal === 'SIGTRAP') return ' (it ran out of memory, or called process.abort)';
  if (signal !== null) return ` (by ${signal})`;
  if (code === NEVER) return ' (it waits at the top level for something that never comes)';
  return code === null ? '' : ` (exit code ${code}, as by process.exit)`;
}
