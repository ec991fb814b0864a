/**
 * Errors that an author's code does not handle: of a promise that it does not await, or of a callback. Without this, they
 * end the process, and end it again after each restart, because the step or the activity is repeated.
 *
 * 1. The error fails the activity that started the code, or the step if it comes before the step is saved.
 * 2. A later error is only reported.
 * 3. An error of any other code ends the process, as Node.js does.
 * 4. The code is followed by an `AsyncLocalStorage`. In Node.js 20 it makes all promises of a process slower from its first
 *    use, so only code that does not come with nodewright is followed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { Task } from '../../library/types.ts';
import { isAuthored } from '../../library/versions/provenance.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';

type Follower = (error: Error) => void;

const followers = new AsyncLocalStorage<Follower>();
let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
}

function onError(cause: unknown): void {
  const follow = followers.getStore();
  if (follow === undefined) throw cause;
  const message = `the code does not handle the error of a promise or a callback: ${messageOf(cause)}; await the promise, which only a task can do, or catch the error`;
  follow(new Error(message, { cause }));
}

/** Runs code; `follow` receives each error that it leaves unhandled, also long after it has returned. */
export function followErrors<T>(follow: Follower, code: () => T): T {
  listen();
  return followers.run(follow, code);
}

/**
 * Runs code to its end, under `followErrors`, and returns the first error that it has left unhandled by then.
 * The outer follower receives all of them. Code that is not followed costs no wait.
 */
export async function strayOf<T>(code: () => T): Promise<{ value: Awaited<T>; stray?: Error }> {
  const outer = followers.getStore();
  if (outer === undefined) return { value: await code() };
  let stray: Error | undefined;
  const value = await followers.run((error) => {
    stray ??= error;
    outer(error);
  }, code);
  // Node.js reports a promise that is rejected now after all others have settled.
  await setImmediate();
  return stray === undefined ? { value } : { value, stray };
}

/**
 * Runs the code of a task, and fails with the first error that the code leaves unhandled; the signal of the code is then
 * aborted.
 * @param late receives an error that comes after the end
 */
export async function followStrays<T>(
  task: Pick<Task, 'source'>,
  signal: AbortSignal,
  late: Follower,
  code: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!isAuthored(task)) return code(signal);
  const aborter = new AbortController();
  let isOver = false;
  const runWhole = async (): Promise<T> => {
    const output = await code(AbortSignal.any([signal, aborter.signal]));
    await setImmediate();
    return output;
  };
  try {
    return await new Promise<T>((resolve, reject) => {
      const follow = (error: Error): void => {
        if (isOver) late(error);
        reject(error);
        aborter.abort(error);
      };
      followErrors(follow, runWhole).then(resolve, reject);
    });
  } finally {
    isOver = true;
  }
}
