/**
 * Prints the part of the lines of `engine/` that the measured processes of tests reached; those that they start are not
 * measured. Exits with 1 if it is below the limit. Tests, and bundles of definitions, which have copies of sources, do not
 * count.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CoverageReport } from 'monocart-coverage-reports';
import { RECORDED } from './recorded-results.mjs';

const LIMIT_PERCENT = 90;

const report = new CoverageReport({
  outputDir: join(RECORDED, '../report'),
  reports: [['v8', { inline: false }]],
  entryFilter: ({ url }) => /\/nodewright\/tests\/(?!\w+\/texts\/)/.test(url),
  sourceFilter: (path) => /(^|\/)engine\//.test(path),
  sourcePath: (path) => path.replace(/^(\.\.\/)+/, ''),
  logging: 'error',
});
await report.addFromDir(RECORDED);
const { files } = await report.generate();
await rm(RECORDED, { recursive: true, force: true });

const measured = files.filter(({ sourcePath }) => sourcePath.startsWith('engine/'));
const sum = (count) => measured.reduce((all, { summary }) => all + count(summary.lines), 0);
const [covered, total] = [sum((lines) => lines.covered), sum((lines) => lines.total)];
const percent = (covered / total) * 100;
const least = measured.toSorted((one, other) => one.summary.lines.pct - other.summary.lines.pct).slice(0, 10);
for (const { sourcePath, summary: own } of least) console.log(`# ${own.lines.pct} % of ${sourcePath}`);
console.log(
  `# coverage: ${percent.toFixed(2)} % of the lines of engine/ (${covered} of ${total}), expected ${LIMIT_PERCENT} % at least`,
);
process.exit(percent >= LIMIT_PERCENT ? 0 : 1);
