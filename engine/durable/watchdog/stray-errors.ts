/**
 * Errors that an author's code does not handle: of a promise that it does not await, or of a callback. Without this, they
 * end the process, and end it again after each restart, because the step or the activity is repeated.
 *
 * 1. The error fails the activity that started the code, or the step if it comes before the step is saved.
 * 2. A later error is only reported.
 * 3. An error of any other code ends the process, as Node.js does.
 * 4. The code of a task is followed by an `AsyncLocalStorage`. In Node.js 20 it makes all promises of a process three times as
 *    slow from its first use, so only tasks that do not come with nodewright are followed.
 * 5. A step returns without waiting: hooks note the promises that it creates. They do not find an error of a timer that it
 *    sets, or of code after an `await`, unless the promise of a function that the step has called is rejected.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { promiseHooks } from 'node:v8';
import type { Task } from '../../library/types.ts';
import { isAuthored } from '../../library/versions/provenance.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';

type Follower = (error: Error) => void;

const followers = new AsyncLocalStorage<Follower>();
/** By the promises that steps have created. */
const ofSteps = new WeakMap<Promise<unknown>, Follower>();
/** That of the step that runs now. */
let ofStep: Follower | undefined;
let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on('uncaughtException', (cause) => onError(cause, followers.getStore()));
  process.on('unhandledRejection', (cause, promise) => onError(cause, ofSteps.get(promise) ?? followers.getStore()));
}

function onError(cause: unknown, follow: Follower | undefined): void {
  if (follow === undefined) throw cause;
  const message = `the code does not handle the error of a promise or a callback: ${messageOf(cause)}; await the promise, which only a task can do, or catch the error`;
  follow(new Error(message, { cause }));
}

/** Runs code; `follow` receives each error that it leaves unhandled, also long after it has returned. */
export function followErrors<T>(follow: Follower, code: () => T): T {
  listen();
  return followers.run(follow, code);
}

/** The same for code that returns without waiting. */
export function followStep<T>(follow: Follower, code: () => T): T {
  listen();
  const outer = ofStep;
  ofStep = follow;
  const stop = promiseHooks.onInit((promise) => void ofSteps.set(promise, follow));
  try {
    return code();
  } finally {
    stop();
    ofStep = outer;
  }
}

export interface WithStray<T> {
  value: T;
  stray?: Error;
}

/** Runs code to its end, and returns the first error that it has left unhandled by then. @param run gives errors to `note` */
export async function firstStray<T>(run: (note: Follower) => T | Promise<T>): Promise<WithStray<T>> {
  let stray: Error | undefined;
  const value = await run((error) => {
    stray ??= error;
  });
  // Node.js reports a promise that is rejected now after all others have settled.
  await setImmediate();
  return stray === undefined ? { value } : { value, stray };
}

/** The same for a step, under `followStep`: the outer follower receives all errors. A step that is not followed costs no wait. */
export async function strayOf<T>(step: () => T): Promise<WithStray<T>> {
  const outer = ofStep;
  if (outer === undefined) return { value: step() };
  const followBoth = (note: Follower) => (error: Error) => {
    note(error);
    outer(error);
  };
  return firstStray((note) => followStep(followBoth(note), step));
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
