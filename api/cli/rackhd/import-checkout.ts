/**
 * `nw import rackhd`: puts the tasks, graphs and packs of a checkout to a daemon, and says for each what became of it. A
 * dry run checks them against the included tasks, and changes nothing.
 */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { buildPack, checkPack, definitionChecks, knownBases, taskRenamed } from '../../../engine/assembly/authoring.ts';
import type { JsonObject } from '../../../engine/vocabulary/json.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { ApiError } from '../api-error.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { definitionsIn, type FoundDefinition, packsIn } from './checkout.ts';
import { type ImportResult, showResults } from './import-results.ts';
import { withPackCopy } from './pack-copy.ts';
import { type ServedText, servedTextsIn } from './served-texts.ts';

export interface RackhdFlags extends ConnectionOptions {
  dryRun?: boolean;
  /** Also puts definitions under the names of included ones. */
  replace?: boolean;
}

/** A destination: a daemon, or the checks of a dry run. */
interface Target {
  /** @returns notes @throws Error with all that is wrong */
  put(what: 'task' | 'graph', json: JsonObject): Promise<string[]>;
  pack(folder: string): Promise<string[]>;
  /** Stores a template or a profile for all nodes. */
  serve(file: ServedText): Promise<string[]>;
  /** Names of definitions that come with nodewright. */
  own: ReadonlySet<string>;
}

export async function importCheckout(folder: string, flags: RackhdFlags): Promise<void> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new CommandError(`found no folder ${folder}; expected a checkout`, EXIT.usage);
  const definitions = await definitionsIn(folder);
  const packs = await packsIn(folder);
  const texts = await servedTextsIn(folder);
  if (definitions.length + packs.length + texts.length === 0) {
    const expected = 'expected lib/task-data, lib/graphs, data, or folders with config.json';
    throw new CommandError(`found neither tasks, graphs nor packs in ${folder}; ${expected}`, EXIT.usage);
  }
  const work = async (target: Target) => {
    const replaces = flags.replace === true;
    const results = await importDefinitions(definitions, packs, target, replaces);
    for (const text of texts) results.push(await textResult(text, target, replaces));
    showResults(results, flags.output);
    const rejected = results.filter(({ result }) => result === 'rejected').length;
    if (rejected > 0) throw new CommandError(`${rejected} of ${results.length} were rejected`);
  };
  if (flags.dryRun) await work(await dryTarget());
  else await withClient(flags, async (client) => work(await daemonTarget(client)));
}

async function importDefinitions(definitions: FoundDefinition[], packs: string[], target: Target, replaces: boolean) {
  const results: ImportResult[] = [];
  const fileByName = new Map<string, string>();
  const bases = new Map(knownBases().map(([name, task, why]) => [name, task === null ? why : null]));
  for (const { kind, file, name, json, problem } of definitions) {
    const about = { kind: kind === 'base' ? ('base task' as const) : kind, name, file };
    const twice = fileByName.get(name);
    fileByName.set(name, file);
    if (problem !== undefined) results.push({ ...about, result: 'rejected', notes: [problem] });
    else if (kind === 'base') results.push({ ...about, ...baseResult(bases, name) });
    else if (isOurs(kind, name, target) && !replaces) results.push({ ...about, result: 'ours', notes: [] });
    else {
      const notes = twice === undefined ? [] : [`replaces that of ${twice}`];
      if (typeof json.optionsSchema === 'string') notes.push(`options are not checked by ${json.optionsSchema}`);
      results.push({ ...about, ...(await attempt(() => target.put(kind, json), notes)) });
    }
  }
  const names = new Map<string, string>();
  for (const folder of packs) results.push(await packResult(folder, target, names));
  return results;
}

/** Included installers need their own templates and profiles: one under such a name is put only with `--replace`. */
async function textResult(text: ServedText, target: Target, replaces: boolean): Promise<ImportResult> {
  const { kind, name, file, isOurs } = text;
  if (isOurs && !replaces) return { kind, name, file, result: 'ours', notes: [] };
  return { kind, name, file, ...(await attempt(() => target.serve(text), [])) };
}

const isOurs = (kind: string, name: string, { own }: Target): boolean =>
  own.has(name) || (kind === 'task' && taskRenamed(name) !== undefined);

function baseResult(bases: ReadonlyMap<string, string | null>, name: string): Pick<ImportResult, 'result' | 'notes'> {
  const why = bases.get(name);
  if (why === undefined) return { result: 'rejected', notes: ['no base task of RackHD that is known here'] };
  return why === null ? { result: 'ours', notes: [] } : { result: 'ours', notes: [`no task does its job: ${why}`] };
}

async function attempt(work: () => Promise<string[]>, notes: readonly string[]) {
  try {
    return { result: 'taken' as const, notes: [...notes, ...(await work())] };
  } catch (error) {
    if (error instanceof ApiError && error.status >= 500) throw error;
    return { result: 'rejected' as const, notes: problemsOf(error) };
  }
}

const problemsOf = (error: unknown): string[] => {
  const errors = error instanceof ApiError ? error.errors : [];
  return errors.length === 0 ? [messageOf(error)] : errors.map(({ path, message }) => `${path}: ${message}`);
};

async function packResult(folder: string, target: Target, names: Map<string, string>): Promise<ImportResult> {
  const about = { kind: 'pack' as const, name: basename(folder), file: basename(folder) };
  try {
    return await withPackCopy(folder, async (copy, leftOut) => {
      const notes = leftOut.map((root) => `left out ${root}: the pack has no such folder`);
      const { name } = await checkPack(copy);
      const other = name === null ? undefined : names.get(name);
      if (other !== undefined)
        return { ...about, result: 'rejected', notes: [`its name ${name} is that of the pack ${other}`] };
      if (name !== null) names.set(name, about.name);
      return { ...about, ...(await attempt(() => target.pack(copy), notes)) };
    });
  } catch (error) {
    if (error instanceof ApiError && error.status >= 500) throw error;
    return { ...about, result: 'rejected', notes: [messageOf(error)] };
  }
}

async function dryTarget(): Promise<Target> {
  const { own, check } = await definitionChecks();
  return {
    own,
    async put(what, json) {
      const { errors, warnings } = check(what, json);
      if (errors.length > 0) throw new Error(errors.join('; '));
      return warnings.filter(({ code }) => notable.has(code)).map(({ message }) => message);
    },
    async pack(folder) {
      const { errors } = await checkPack(folder);
      if (errors.length > 0) throw new Error(errors.map(({ path, message }) => `${path}: ${message}`).join('; '));
      return [];
    },
    serve: async () => [],
  };
}

const notable: ReadonlySet<string> = new Set(['HAS_NO_EFFECT', 'JOB_MISSING']);

async function daemonTarget(client: Client): Promise<Target> {
  const { own } = await definitionChecks();
  return {
    own,
    async put(what, json) {
      const path = what === 'task' ? '/workflows/tasks' : '/workflows/graphs';
      const { warnings = '' } = await client.put(path, { body: json as never });
      return warnings.split(', ').filter((warning) => notable.has(warning.split(' ', 1)[0] ?? ''));
    },
    async pack(folder) {
      const bytes = await buffer(await buildPack(folder));
      await client.upload('POST', '/skus/pack', bytes, 'application/gzip');
      return [];
    },
    async serve({ kind, name, bytes }) {
      const path = kind === 'template' ? '/templates/library/:name' : '/profiles/library/:name';
      await client.upload('PUT', path, bytes, 'application/octet-stream', { params: { name } });
      return [];
    },
  };
}
