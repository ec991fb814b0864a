/**
 * Loaded by the processes of tests whose coverage is measured; those that they start are not. It records which code ran,
 * not how often (`NODE_V8_COVERAGE` would count), so that V8 still optimizes it, and only that of the build of the tests.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

const { NODEWRIGHT_COVERAGE: folder } = process.env;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });

process.once('exit', () => {
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error !== null) throw error;
    const result = taken.result.filter(({ url }) => url.includes('/nodewright/tests/'));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `coverage-${process.pid}-${Date.now()}.json`), JSON.stringify({ result }));
  });
});
