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

/** Counts in the list of all objects. Prototypes of derived classes have no size, and a proxy may throw. */
const count = `function () {
  const counts = { entries: 0, elements: 0, functions: 0, promises: 0 }
  for (const one of this) try {
    if (typeof one === 'function') counts.functions += 1
    else if (Array.isArray(one)) counts.elements += one.length
    else if (one instanceof Map || one instanceof Set) counts.entries += one.size
    else if (one instanceof Promise) counts.promises += 1
  } catch {}
  return counts
}`;

export async function census(): Promise<Census> {
  const session = new Session();
  session.connect();
  try {
    const { result } = await session.post('Runtime.evaluate', { expression: 'Object.prototype' });
    const prototypeObjectId = result.objectId as string;
    const found = await session.post('Runtime.queryObjects', { prototypeObjectId, objectGroup: 'census' });
    const { objectId } = (found as unknown as inspector.Runtime.QueryObjectsReturnType).objects;
    const answer = await session.post('Runtime.callFunctionOn', {
      objectId: objectId as string,
      functionDeclaration: count,
      returnByValue: true,
    });
    await session.post('Runtime.releaseObjectGroup', { objectGroup: 'census' });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
    return { ...(answer.result.value as Omit<Census, 'handles'>), handles: handles() };
  } finally {
    session.disconnect();
  }
}

/** @returns the number of handles by kind, without the collection of garbage that a census begins with, which takes a second */
export function handles(): Record<string, number> {
  const found: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) found[kind] = (found[kind] ?? 0) + 1;
  return found;
}
