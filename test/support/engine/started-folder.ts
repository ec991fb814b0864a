/**
 * The data directory of an engine that has started once and ended, made once for each build of the tests and copied for each
 * engine that a test starts: creating the tables and saving the definitions takes a third of the CPU time of a first start.
 */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { createEngine, readConfig } from '../../../engine/index.ts';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { cacheHome, madeOnce } from '../ava/made-once.ts';
import { folders } from './definition-folders.ts';
import { hashOfDefinitions, putLoaded } from './trial-results.ts';

/** `putLoaded` puts the one, and an engine makes the other. */
const OWN = ['library', 'lock'];

let made: Promise<string> | undefined;

/** @param dataDir of an engine of this build, which has not started */
export async function putStarted(dataDir: string): Promise<void> {
  made ??= madeOnce(join(ownFolder(), `started-${hashOfDefinitions()}`), async (draft) => {
    await putLoaded(draft);
    const config = { ...folders, dataDir: draft, log: { level: 'silent' as const } };
    const engine = await createEngine(readConfig({}, draft, config), pino({ level: 'silent' }));
    await engine.start();
    await engine.close();
    for (const name of OWN) await rm(join(draft, name), { recursive: true, force: true });
    return draft;
  });
  await cp(await made, dataDir, { recursive: true });
  await putLoaded(dataDir);
}

/** With the build of the tests, its folder is deleted. */
function ownFolder(): string {
  const { NODEWRIGHT_TEST_BUILD: own } = process.env;
  return own === undefined ? cacheHome : packagePath(own);
}
