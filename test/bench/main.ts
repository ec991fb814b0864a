/**
 * `npm run bench`: all figures on the embedded default, or those named (`npm run bench -- services-latency`). Prints a
 * table as results arrive, and one line of JSON at the end, and adds the results to `results/<date>.md`. A missed goal is reported but is not a failure; a figure
 * that throws is one.
 *
 * 1. All files are in one temporary folder, and all child processes are ours; both are removed however the bench ends.
 * 2. The bench has a timeout, so it always ends.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { packagePath } from '../../engine/define/package-path.ts';
import { alerts, servicesAlerts } from './alerts.ts';
import { api } from './api.ts';
import { coldstart, servicesColdstart } from './coldstart.ts';
import { killDaemons } from './daemon.ts';
import { type Figure, type Line, meets, type Place } from './figure.ts';
import { files } from './files.ts';
import { latency } from './latency.ts';
import { memory } from './memory.ts';
import { notification } from './notification.ts';
import { PARKED } from './parked.ts';
import { addResults, numberOf } from './results.ts';
import { servicesLatency } from './services-latency.ts';
import { servicesParked } from './services-parked.ts';
import { servicesRecovery } from './services-recovery.ts';
import { servicesDaemons, servicesThroughput } from './services-throughput.ts';
import { servicesTrips } from './services-trips.ts';
import { skus } from './skus.ts';
import { stepCost } from './step.ts';
import { throughput } from './throughput.ts';

const embedded: Record<string, Figure> = {
  step: stepCost,
  throughput,
  latency,
  notification,
  memory,
  coldstart,
  api,
  skus,
  alerts,
  files,
};
const services: Record<string, Figure> = {
  'services-coldstart': servicesColdstart,
  'services-throughput': servicesThroughput,
  'services-daemons': servicesDaemons,
  'services-latency': servicesLatency,
  'services-trips': servicesTrips,
  'services-parked': servicesParked,
  'services-recovery': servicesRecovery,
  'services-alerts': servicesAlerts,
};
const figures = { ...embedded, ...services };

/** All figures on the embedded default usually take eight minutes on two cores. */
const LIMIT_MS = 750_000;
/** Timeout of each figure on services. */
const SERVICES_LIMIT_MS = 1_500_000;

const root = mkdtempSync(join(tmpdir(), 'nodewright-bench-'));
process.on('exit', () => {
  killDaemons();
  rmSync(root, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const results: Record<string, Line[]> = {};
let broken = false;

const place: Place = {
  folder(name) {
    const path = join(root, name);
    mkdirSync(path, { recursive: true });
    return path;
  },
};

const names = picked(process.argv.slice(2));
const limitMs =
  LIMIT_MS * Math.max(1, PARKED / 10_000) + SERVICES_LIMIT_MS * names.filter((name) => name in services).length;
setTimeout(() => end(`not done after ${limitMs / 1_000} s`), limitMs).unref();
for (const name of names) await measure(name);
end();

function picked(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !(name in figures));
  if (unknown === undefined) return names.length > 0 ? names : Object.keys(embedded);
  process.stderr.write(`bench: no figure ${unknown}, expected some of ${Object.keys(figures).join(', ')}\n`);
  process.exit(2);
}

async function measure(name: string): Promise<void> {
  const start = performance.now();
  try {
    const lines = await (figures[name] as Figure)(place);
    const seconds = (performance.now() - start) / 1_000;
    for (const line of [...lines, { name: 'took', value: seconds, unit: 's' }]) show(name, line);
  } catch (error) {
    broken = true;
    process.stderr.write(`bench: ${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
  } finally {
    // A failed figure may have left a daemon, which must not share the machine with the next figure.
    killDaemons();
  }
}

function show(figure: string, line: Line): void {
  const { name, value, unit, goal } = line;
  results[figure] = [...(results[figure] ?? []), line];
  const verdict = goal && `${meets(value, goal) ? 'PASS' : 'FAIL'}: at ${goal.kind} ${goal.value} ${unit}`;
  const row = [figure.padEnd(14), name.padEnd(44), numberOf(value).padStart(9), unit.padEnd(14), verdict ?? ''];
  process.stdout.write(`${row.join(' ').trimEnd()}\n`);
}

function shortened([figure, lines]: [string, Line[]]) {
  const values = lines.map(({ name, unit, value }) => [`${name} (${unit})`, Number(value.toPrecision(4))]);
  return [figure, Object.fromEntries(values)];
}

/** @param fault reason of an early end */
function end(fault?: string): never {
  if (fault !== undefined) process.stderr.write(`bench: ${fault}\n`);
  if (Object.keys(results).length > 0) {
    const file = addResults(packagePath('test/bench/results'), new Date(), results);
    process.stdout.write(`${relative(process.cwd(), file)}\n`);
  }
  process.stdout.write(`${JSON.stringify(Object.fromEntries(Object.entries(results).map(shortened)))}\n`);
  process.exit(fault === undefined && !broken ? 0 : 1);
}
