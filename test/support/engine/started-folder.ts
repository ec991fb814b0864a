/**
 * The data directory of an engine that has started once and ended, made once for each build of the tests and copied for each
 * engine that a test starts: creating the tables and saving the definitions takes a third of the CPU time of a first start.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { createEngine, readConfig } from '../../../engine/index.ts';
import { buildHome, madeOnce } from '../ava/made-once.ts';
import { folders } from './definition-folders.ts';
import { hashOfDefinitions, putLoaded, removeOwn } from './trial-results.ts';

let made: Promise<string> | undefined;

/** @param dataDir of an engine of this build, which has not started */
export async function putStarted(dataDir: string): Promise<void> {
  made ??= madeOnce(join(buildHome(), `started-${hashOfDefinitions()}`), async (draft) => {
    await putLoaded(draft);
    const config = { ...folders, dataDir: draft, log: { level: 'silent' as const } };
    const engine = await createEngine(readConfig({}, draft, config), pino({ level: 'silent' }));
    await engine.start();
    await engine.close();
    await removeOwn(draft);
    return draft;
  });
  await cp(await made, dataDir, { recursive: true });
  await putLoaded(dataDir);
}
