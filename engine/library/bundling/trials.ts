/**
 * Trials: a separate process imports a definition before the daemon does. One that never returns, ends its process or
 * exhausts the memory is rejected without affecting the daemon.
 *
 * Owns `tried.json` next to the texts. Relies on `trial.ts` for the process.
 *
 * 1. Concurrent requests share a process. If it does not end normally, the text that it was importing is rejected and
 *    the others are tried without it; if it was importing none, each is tried separately.
 * 2. A text that passed is not tried again. A rejected one is, after `RETRIAL_MS`, and by the next process.
 * 3. This is not a sandbox: authors with write access to the folders are trusted, but make mistakes.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { batch } from '../../platform/lib/batch.ts';
import { Rejection } from '../options/rejection.ts';
import { type Bundle, LOAD_LIMIT_MS } from './bundle.ts';
import { importRejection } from './module-rejections.ts';
import { put, textsIn } from './text-folder.ts';
import { type TrialOutcome, tryTogether, type Verdict } from './trial.ts';
import { TriedFiles } from './tried-files.ts';

const RETRIAL_MS = 600_000;
/** Long enough that all bundles of one build arrive together. */
const BUNDLES_MS = 20;
/** Attempts to start a process on a machine without resources for it. */
const STARTS = 5;
const PAUSE_MS = 1_000;
/** As many hashes are 64 KiB, half of the limit of an argument. */
const BUNDLES_PER_TRIAL = 900;

export class Trials {
  readonly #folder: string;
  readonly #limitMs: number;
  readonly #tried: Promise<TriedFiles>;
  readonly #closing = new AbortController();
  /** Rejected in this process, with the time. */
  readonly #rejected = new Map<string, number>();
  /** Rejected because of the result of an earlier process. */
  readonly #remembered = new Set<string>();
  readonly #verdict: (bundle: Bundle) => Promise<Rejection | undefined>;

  /**
   * @param folder the folder above the texts
   * @param built results that come with the build of the daemon
   * @param limitMs for each text
   */
  constructor(folder: string, built?: string, limitMs = LOAD_LIMIT_MS) {
    this.#folder = folder;
    this.#limitMs = limitMs;
    this.#tried = TriedFiles.read(join(folder, 'tried.json'), built && join(built, 'tried.json'));
    this.#verdict = batch((bundles: Bundle[]) => this.#try(bundles), BUNDLES_PER_TRIAL, BUNDLES_MS);
  }

  /** @throws Rejection if the text must not be imported */
  async pass(bundle: Bundle): Promise<void> {
    const { hash } = bundle;
    const tried = await this.#tried;
    if (tried.has(hash)) return;
    const rejection = this.#knownRejection(hash, tried) ?? (await this.#verdict(bundle));
    if (rejection !== undefined) throw rejection;
  }

  #knownRejection(hash: string, tried: TriedFiles): Rejection | undefined {
    const rejection = tried.rejection(hash);
    const since = this.#rejected.get(hash);
    if (rejection === undefined || (since !== undefined && performance.now() - since > RETRIAL_MS)) return undefined;
    if (since === undefined) this.#remembered.add(hash);
    return rejection;
  }

  /** Makes texts that an earlier process rejected be tried again. @returns whether there were any */
  retry(): boolean {
    const long = performance.now() - 2 * RETRIAL_MS;
    for (const hash of this.#remembered) this.#rejected.set(hash, long);
    const any = this.#remembered.size > 0;
    this.#remembered.clear();
    return any;
  }

  async #try(bundles: readonly Bundle[]): Promise<(Rejection | undefined)[]> {
    const tried = await this.#tried;
    const remainingBundles = new Map(bundles.map((bundle) => [bundle.hash, bundle]));
    for (const hash of remainingBundles.keys()) if (tried.has(hash)) remainingBundles.delete(hash);
    for (const bundle of remainingBundles.values()) await put(bundle, this.#folder);
    const verdicts = await this.#verdicts([...remainingBundles.keys()]);
    for (const [hash, bundle] of remainingBundles) {
      const rejection = await rejectionOf(verdicts.get(hash), bundle, this.#limitMs);
      tried.add(hash, rejection);
      if (rejection !== undefined) this.#rejected.set(hash, performance.now());
    }
    await tried.save();
    return bundles.map(({ hash }) => (tried.has(hash) ? undefined : tried.rejection(hash)));
  }

  /** Rule 1. */
  async #verdicts(hashes: readonly string[]): Promise<Map<string, Verdict>> {
    const all = new Map<string, Verdict>();
    for (
      let remainingHashes = [...hashes];
      remainingHashes.length > 0;
      remainingHashes = remainingHashes.filter((hash) => !all.has(hash))
    ) {
      const { verdicts, isWhole } = await this.#together(remainingHashes);
      const entries = [...verdicts.entries()];
      const wrong = entries.filter(([, { kind }]) => kind === 'left' || kind === 'late');
      const [dead] = entries.find(([, { kind }]) => kind === 'died') ?? [];
      if (isWhole || wrong.length > 0 || remainingHashes.length === 1)
        for (const [hash, one] of entries) all.set(hash, one);
      else if (dead !== undefined) {
        for (const [hash, one] of entries) if (hash !== dead) all.set(hash, one);
        // Another text may have exhausted the resources.
        all.set(dead, await this.#tryAlone(dead));
      } else for (const hash of remainingHashes) all.set(hash, await this.#tryAlone(hash));
    }
    return all;
  }

  async #tryAlone(hash: string): Promise<Verdict> {
    const { verdicts, isWhole } = await this.#together([hash]);
    const verdict = verdicts.get(hash);
    if (verdict !== undefined && (isWhole || verdict.kind !== 'passed')) return verdict;
    return { kind: 'died', code: null, signal: null };
  }

  async #together(hashes: readonly string[]): Promise<TrialOutcome> {
    const { signal } = this.#closing;
    for (let remainingStarts = STARTS; ; remainingStarts -= 1) {
      signal.throwIfAborted();
      try {
        const outcome = await tryTogether(textsIn(this.#folder), hashes, this.#limitMs, signal);
        signal.throwIfAborted();
        return outcome;
      } catch (error) {
        if (signal.aborted || remainingStarts === 1) throw error;
        await pause(PAUSE_MS, undefined, { signal });
      }
    }
  }

  /** Ends the running process; callers that wait for it get an error. */
  close(): void {
    this.#closing.abort(new Error('the daemon is stopping'));
  }
}

async function rejectionOf(
  verdict: Verdict | undefined,
  { hash, inputs, map }: Bundle,
  limitMs: number,
): Promise<Rejection | undefined> {
  switch (verdict?.kind) {
    case 'passed':
      return undefined;
    case 'threw':
      return importRejection(verdict, hash, inputs, map);
    case 'left':
      return new Rejection(`${verdict.what} after the file was loaded`, 'a file that starts nothing when it is loaded');
    case 'late':
      return new Rejection(`a file still loading after ${limitMs} ms`, 'no loops or long waits at the top level');
    case 'died':
      return new Rejection(
        `a file that ended its process while it was loaded${endOf(verdict)}`,
        'a file that contains only definitions',
      );
    default:
      return new Rejection('a file that could not be tried', 'one that loads in a separate process');
  }
}

/** Node.js' exit code for a top-level `await` that can never settle. */
const NEVER = 13;

function endOf({ code, signal, memory }: Extract<Verdict, { kind: 'died' }>): string {
  if (memory !== undefined) return ` (it needed more than ${memory} MiB of memory)`;
  if (signal === 'SIGABRT' || signal === 'SIGTRAP') return ' (it ran out of memory, or called process.abort)';
  if (signal !== null) return ` (by ${signal})`;
  if (code === NEVER) return ' (it waits at the top level for something that never happens)';
  return code === null ? '' : ` (exit code ${code}, as by process.exit)`;
}
