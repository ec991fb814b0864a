/**
 * `npm run bench`: the figures that have goals, or those named (`npm run bench -- step`), or a group of them (`npm run bench -- beside`). Prints the
 * results of each figure as it ends, then all goals, and one line of JSON, and adds the results to `results/<date>.md`. A
 * missed goal or a skipped figure is reported but is not a failure; a figure that throws is one.
 *
 * 1. All files are in one temporary folder, and all child processes are ours; both are removed however the bench ends.
 * 2. The bench has a timeout, so it always ends.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { killDaemons } from './daemon.ts';
import { type Figure, type Line, type Place, Skipped, verdict } from './figure.ts';
import { elsewhere, figures, goals, groups } from './figures.ts';
import { addResults, goalOf, numberOf } from './results.ts';

/** For each figure; the longest with its default size takes some minutes on two cores. */
const LIMIT_MS = 900_000;
/** Figures whose size is set by the environment may take longer, and so do those of a fleet. */
const SIZED = ['BENCH_PARKED', 'BENCH_NODES', 'BENCH_STORED', 'BENCH_SIZES', 'BENCH_FLEET'];
const LONGER_LIMIT_MS = 5_400_000;

const root = mkdtempSync(join(tmpdir(), 'nodewright-bench-'));
// A server may run as another user.
chmodSync(root, 0o711);
process.on('exit', () => {
  killDaemons();
  rmSync(root, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const results: Record<string, Line[]> = {};
const skipped: Record<string, string> = {};
let broken = false;

const place: Place = {
  folder(name) {
    const path = join(root, name);
    mkdirSync(path, { recursive: true });
    return path;
  },
};

const named = process.argv.slice(2);
const names = picked(named);
const isLonger = SIZED.some((name) => name in process.env) || names.some((name) => /fleet/.test(name));
const limitMs = names.length * LIMIT_MS + (isLonger ? LONGER_LIMIT_MS : 0);
setTimeout(() => end(`not done after ${limitMs / 1_000} s`), limitMs).unref();
for (const name of names) await measure(name);
if (named.length === 0) for (const [name, command] of Object.entries(elsewhere)) skip(name, command);
end();

function picked(args: readonly string[]): readonly string[] {
  const names = args.flatMap((name) => groups[name] ?? name);
  const unknown = names.find((name) => !(name in figures));
  if (unknown === undefined) return names.length > 0 ? names : Object.keys(goals);
  process.stderr.write(
    `bench: no figure ${unknown}, expected some of ${Object.keys({ ...groups, ...figures }).join(', ')}\n`,
  );
  process.exit(2);
}

async function measure(name: string): Promise<void> {
  const start = performance.now();
  try {
    const lines = await (figures[name] as Figure)(place);
    const seconds = (performance.now() - start) / 1_000;
    results[name] = [...lines, { name: 'took', value: seconds, unit: 's' }];
    for (const line of results[name]) show(name, line);
  } catch (error) {
    if (error instanceof Skipped) return skip(name, error.message);
    broken = true;
    process.stderr.write(`bench: ${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
  } finally {
    // A failed figure may have left a daemon, which must not share the machine with the next figure.
    killDaemons();
  }
}

function skip(name: string, reason: string): void {
  skipped[name] = reason;
  print(name, `NOT MEASURED: ${reason}`);
}

function show(figure: string, line: Line): void {
  const passed = verdict(line);
  const goal = passed === undefined ? '' : `${passed}: ${goalOf(line)}`;
  print(figure, line.name.padEnd(58), numberOf(line.value).padStart(9), line.unit.padEnd(13), goal);
}

function print(figure: string, ...cells: string[]): void {
  process.stdout.write(`${[figure.padEnd(20), ...cells].join(' ').trimEnd()}\n`);
}

/** Prints all goals together, those of the default run in the order of `goals`. */
function summarize(): void {
  const all = Object.entries(results).flatMap(([figure, lines]) => lines.map((line) => ({ figure, line })));
  const withGoal = all.filter(({ line }) => line.goal !== undefined);
  const missed = withGoal.filter(({ line }) => verdict(line) === 'FAIL');
  process.stdout.write('\nGoals\n');
  for (const { figure, line } of withGoal) show(figure, line);
  for (const [name, reason] of Object.entries(skipped)) print(name, `NOT MEASURED: ${reason}`);
  const counts = [`${withGoal.length - missed.length} met`, `${missed.length} missed`];
  process.stdout.write(`${[...counts, `${Object.keys(skipped).length} not measured`].join(', ')}\n\n`);
}

function shortened([figure, lines]: [string, Line[]]) {
  const values = lines.map(({ name, unit, value }) => [`${name} (${unit})`, Number(value.toPrecision(4))]);
  return [figure, Object.fromEntries(values)];
}

/** @param fault reason of an early end */
function end(fault?: string): never {
  if (fault !== undefined) process.stderr.write(`bench: ${fault}\n`);
  summarize();
  if (Object.keys(results).length > 0) {
    const file = addResults(packagePath('test/bench/results'), new Date(), results, skipped);
    process.stdout.write(`${relative(process.cwd(), file)}\n`);
  }
  process.stdout.write(`${JSON.stringify(Object.fromEntries(Object.entries(results).map(shortened)))}\n`);
  process.exit(fault === undefined && !broken ? 0 : 1);
}
