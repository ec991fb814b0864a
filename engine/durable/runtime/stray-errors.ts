/**
 * Errors that an author's code does not handle: of a promise that it does not await, or of a callback. Without this, they
 * end the process, and end it again after each restart, because the activity runs again.
 *
 * 1. The error fails the activity that started the code, wherever and whenever it is thrown.
 * 2. An error of any other code ends the process, as Node.js does.
 * 3. The code is followed by an `AsyncLocalStorage`. In Node.js 20 it makes all promises of a process slower from its first
 *    use, so only tasks that do not come with nodewright are followed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { Task } from '../../library/types.ts';
import { packagePath } from '../../vocabulary/package-path.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';

const followers = new AsyncLocalStorage<(error: unknown) => void>();
let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
}

function onError(error: unknown): void {
  const follow = followers.getStore();
  if (follow === undefined) throw error;
  follow(error);
}

const INCLUDED = `${packagePath('tasks')}/`;

const isIncluded = ({ source }: Pick<Task, 'source'>): boolean =>
  source.kind === 'api' || (source.kind === 'file' && source.file.startsWith(INCLUDED));

/**
 * Runs the code of a task, and fails with the first error that the code leaves unhandled; the signal of the code is then
 * aborted.
 * @param late receives an error that comes after the end
 */
export async function followStrays<T>(
  task: Pick<Task, 'source'>,
  signal: AbortSignal,
  late: (error: Error) => void,
  code: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (isIncluded(task)) return code(signal);
  listen();
  const aborter = new AbortController();
  let isOver = false;
  const runWhole = async (): Promise<T> => {
    const output = await code(AbortSignal.any([signal, aborter.signal]));
    // Node.js reports a promise that is rejected now after all others have settled.
    await setImmediate();
    return output;
  };
  try {
    return await new Promise<T>((resolve, reject) => {
      const follow = (cause: unknown): void => {
        const message = `the task does not handle the error of a promise or a callback: ${messageOf(cause)}; await the promise, or catch the error`;
        const error = new Error(message, { cause });
        if (isOver) late(error);
        reject(error);
        aborter.abort(error);
      };
      followers.run(follow, runWhole).then(resolve, reject);
    });
  } finally {
    isOver = true;
  }
}
