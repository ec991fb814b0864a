/**
 * Prints the part of the lines of `engine/` that the measured processes of tests reached; those that they start are not
 * measured. Exits with 1 if it is below the limit.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CoverageReport } from 'monocart-coverage-reports';
import { RECORDED } from './recorded-results.mjs';

const LIMIT_PERCENT = 90;

const report = new CoverageReport({
  outputDir: join(RECORDED, '../report'),
  reports: [['v8', { inline: false }]],
  entryFilter: ({ url }) => url.includes('/nodewright/tests/'),
  sourceFilter: (path) => /(^|\/)engine\//.test(path),
  sourcePath: (path) => path.replace(/^.*?(engine\/)/, '$1'),
  logging: 'error',
});
await report.addFromDir(RECORDED);
const { files, summary } = await report.generate();
await rm(RECORDED, { recursive: true, force: true });

const { pct, covered, total } = summary.lines;
const least = files.toSorted((one, other) => one.summary.lines.pct - other.summary.lines.pct).slice(0, 10);
for (const { sourcePath, summary: own } of least) console.log(`# ${own.lines.pct} % of ${sourcePath}`);
console.log(
  `# coverage: ${pct} % of the lines of engine/ (${covered} of ${total}), expected ${LIMIT_PERCENT} % at least`,
);
process.exit(pct >= LIMIT_PERCENT ? 0 : 1);
