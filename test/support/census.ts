/** Counts the live objects of this process, so that anything that leaks per request shows up, under any name. */
import type inspector from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** Counts after garbage collection. */
export interface Census {
  /** In all maps and sets together. */
  entries: number;
  /** In all arrays together. */
  elements: number;
  /** Includes closures, such as a listener that is never removed. */
  functions: number;
  promises: number;
  /** Handles that keep a process alive, by kind: sockets, timers. */
  handles: Record<string, number>;
}

/** The list contains prototypes of derived classes, which have no size. */
const sum = (of: string) =>
  `function () { let n = 0; for (const one of this) try { n += one.${of} } catch {} return n }`;
const count = 'function () { return this.length }';

export async function census(): Promise<Census> {
  const session = new Session();
  session.connect();
  try {
    const [maps, sets] = [await ask(session, 'Map', sum('size')), await ask(session, 'Set', sum('size'))];
    return {
      entries: maps + sets,
      elements: await ask(session, 'Array', sum('length')),
      functions: await ask(session, 'Function', count),
      promises: await ask(session, 'Promise', count),
      handles: handles(),
    };
  } finally {
    session.disconnect();
  }
}

/** @param look a function of the list of all live objects of the class */
async function ask(session: Session, name: string, look: string): Promise<number> {
  const { result } = await session.post('Runtime.evaluate', { expression: `${name}.prototype` });
  const prototypeObjectId = result.objectId as string;
  const found = await session.post('Runtime.queryObjects', { prototypeObjectId, objectGroup: 'census' });
  const { objectId } = (found as unknown as inspector.Runtime.QueryObjectsReturnType).objects;
  const answer = await session.post('Runtime.callFunctionOn', {
    objectId: objectId as string,
    functionDeclaration: look,
    returnByValue: true,
  });
  await session.post('Runtime.releaseObjectGroup', { objectGroup: 'census' });
  if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
  return answer.result.value as number;
}

function handles(): Record<string, number> {
  const found: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) found[kind] = (found[kind] ?? 0) + 1;
  return found;
}
