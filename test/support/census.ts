/** What lives in this process, counted: what is kept for each request, anywhere, shows here, whatever it is called. */
import type inspector from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** How many there are after everything that nobody holds was collected. */
export interface Census {
  /** Of all maps and sets together. */
  entries: number;
  /** Of all lists together. */
  elements: number;
  /** Closures too: a listener that nobody takes off is one. */
  functions: number;
  promises: number;
  /** What keeps a process alive, by its kind: sockets, timers. */
  handles: Record<string, number>;
}

/** The prototype of a class that is derived from one of these is among them, and has no size. */
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

/** @param look a function of the list of all living objects of the class */
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
