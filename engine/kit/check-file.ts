/** The findings about a graph's file, with the lines of its errors. Needs no daemon. */
import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { agrees, pathFor } from '../library/bundling/path-name.ts';
import { Rejection } from '../library/options/rejection.ts';
import type { Graph } from '../library/types.ts';
import { compileGraph } from '../library/versions/draft.ts';
import { stopwatch } from '../platform/lib/stopwatch.ts';
import type { Violation } from '../vocabulary/errors.ts';
import { messageOf } from '../vocabulary/thrown-values.ts';
import { includedDefinitions, type LoadOptions, type ReadGraph, readGraph } from './definition-files.ts';
import type { ExploreOptions } from './explore.ts';
import { circleWarnings, errorsOf, type Findings, findingsOf, type GraphWarning } from './findings.ts';
import { lineOfPlace, lineOfValue } from './lines.ts';
import { straysOf } from './strays.ts';

interface PlacedViolation extends Violation {
  /** From 1; absent: unknown. */
  line?: number;
}

export interface FileFindings extends Omit<Findings, 'errors'> {
  file: string;
  errors: PlacedViolation[];
}

interface CheckedFile {
  findings: FileFindings;
  /** Absent: it was rejected. */
  graph?: Graph;
  /** ms that the check took. */
  ms: number;
}

type CheckOptions = LoadOptions & ExploreOptions;

/** @throws NodewrightError INVALID if there is no such file */
export const checkFile = async (file: string, options: CheckOptions = {}): Promise<FileFindings> =>
  (await checkedFile(file, options)).findings;

async function checkedFile(file: string, options: CheckOptions): Promise<CheckedFile> {
  const worked = stopwatch();
  const text = await readFile(file, 'utf8').catch(() => '');
  const { value, stray } = await straysOf(() => findingsIn(file, options));
  const { errors, graph, ...findings } = value;
  if (stray !== undefined) findings.warnings.push({ code: 'GRAPH_THROWS', message: stray.message });
  const placed = errors.map((error) => placeViolation(error, file, text));
  return { findings: { file, ...findings, errors: placed }, ...(graph && { graph }), ms: Math.round(worked()) };
}

/** Checks files as one daemon would load them together. @throws NodewrightError INVALID if there is no such file */
export async function checkGraphFiles(files: readonly string[], options: CheckOptions = {}) {
  const all: CheckedFile[] = [];
  for (const file of files) all.push(await checkedFile(file, options));
  const { graphs: included } = await includedDefinitions();
  rejectRepeats(all, included);
  const checkedGraphs = new Map(
    all.flatMap(({ findings: { ok }, graph }) => (ok && graph ? [[graph.name, graph]] : [])),
  );
  for (const { findings, graph } of all) {
    if (graph !== undefined)
      findings.warnings.push(...circleWarnings(graph, (name) => checkedGraphs.get(name) ?? included.get(name)));
  }
  return all.map(({ findings, ms }) => ({ ...findings, ms }));
}

/** Rejects the files whose name belongs to an included graph or to a file before them. */
function rejectRepeats(all: readonly CheckedFile[], included: ReadonlyMap<string, Graph>): void {
  const files = new Map([...included].map(([name, { source }]) => [name, source.kind === 'file' ? source.file : '']));
  for (const { findings } of all) {
    const file = resolve(findings.file);
    const first = files.get(findings.name ?? file) ?? file;
    files.set(findings.name ?? file, first);
    if (first === file) continue;
    findings.ok = false;
    findings.errors.push({
      path: '',
      message: `found ${findings.name}, which ${first} already defines; expected an unused name`,
    });
  }
}

async function findingsIn(file: string, options: CheckOptions): Promise<Findings & { graph?: Graph }> {
  let read: ReadGraph;
  try {
    read = await readGraph(file, options);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { ok: false, name: null, errors: errorsOf(error), warnings: [], explored: null };
  }
  const { draft, tables, path } = read;
  let graph: Graph | undefined;
  const compile = () => {
    graph = compileGraph(draft, tables).made;
    return graph;
  };
  const findings = collectFindings(() => findingsOf(null, compile, options));
  const warnings = [...findings.warnings, ...pathWarnings(findings.name, path)];
  return { ...findings, warnings, ...(graph && { graph }) };
}

/** An error of an author's code that no check expects must not end the check of other files. */
function collectFindings(look: () => Findings): Findings {
  try {
    return look();
  } catch (error) {
    const errors = [{ path: '', message: `the check failed: ${messageOf(error)}` }];
    return { ok: false, name: null, errors, warnings: [], explored: null };
  }
}

function pathWarnings(name: string | null, path: string): GraphWarning[] {
  if (name === null || agrees(path, name)) return [];
  const message = `the path does not agree with the name ${name}; rename the file to ${pathFor(name)}${extname(path)}`;
  return [{ code: 'NAME_NOT_PATH', path, message }];
}

/** Errors of files that cannot be read have the line in their message; those of XState name the state. */
function placeViolation(error: Violation, file: string, text: string): PlacedViolation {
  const { path, message } = error;
  const [, state] = /for state node '(?:\(machine\)|[^'.]+)\.([^']+)'/.exec(message) ?? [];
  const place = state === undefined ? path : `states.${state.replaceAll('.', '.states.')}`;
  const at = message.lastIndexOf(`${resolve(file)}:`);
  const said = at === -1 ? undefined : /^\d+/.exec(message.slice(at + resolve(file).length + 1))?.[0];
  const target = /(?:Child state|target:?) ['"]([^'"]+)['"]/.exec(message)?.[1];
  const line =
    lineOfValue(file, text, place, state === undefined ? undefined : target) ??
    lineOfPlace(file, text, place) ??
    (said === undefined ? undefined : Number(said));
  return line === undefined ? error : { ...error, line };
}
