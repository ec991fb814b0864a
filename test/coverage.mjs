/**
 * Runs the tests of the tiers in `TESTS`, by default unit and engine, and prints the part of the lines of `engine/` that
 * their processes reach; those that they start are not measured. Exits with 1 if a test fails, or if that part is below
 * the limit. Arguments are for AVA.
 */
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CoverageReport } from 'monocart-coverage-reports';

const LIMIT_PERCENT = 90;

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'node_modules/.cache/nodewright/coverage');
const recorded = join(home, 'recorded');

await rm(home, { recursive: true, force: true });
const { TESTS = 'unit,engine' } = process.env;
const { status } = spawnSync('npx', ['--no-install', 'ava', ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, TESTS, NODEWRIGHT_COVERAGE: recorded },
  stdio: 'inherit',
});
const report = new CoverageReport({
  outputDir: join(home, 'report'),
  reports: [['v8', { inline: false }]],
  entryFilter: ({ url }) => url.includes('/nodewright/tests/'),
  sourceFilter: (path) => /(^|\/)engine\//.test(path),
  sourcePath: (path) => path.replace(/^.*?(engine\/)/, '$1'),
  logging: 'error',
});
await report.addFromDir(recorded);
const { files, summary } = await report.generate();
await rm(recorded, { recursive: true, force: true });

const { pct, covered, total } = summary.lines;
const least = files.toSorted((one, other) => one.summary.lines.pct - other.summary.lines.pct).slice(0, 10);
for (const { sourcePath, summary: own } of least) console.log(`# ${own.lines.pct} % of ${sourcePath}`);
console.log(
  `# coverage: ${pct} % of the lines of engine/ (${covered} of ${total}), expected ${LIMIT_PERCENT} % at least`,
);
process.exit(status === 0 && pct >= LIMIT_PERCENT ? 0 : 1);
