/** A listener in another process, written with another library: Python and pika. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from './hearing.ts';
import { pythonWith } from './python.ts';

export interface Told {
  key: string;
  body: Record<string, unknown>;
  properties: {
    contentType: string;
    deliveryMode: number;
    messageId: string;
    type: string;
    timestamp: number;
    appId: string;
  };
}

const python = pythonWith('pika');

export const noPika = python === undefined ? 'python3-pika is not installed' : undefined;

/** Resolves when its queue is bound. Stopped when its owner `t` ends. */
export async function startPika(t: Scope, url: string): Promise<Hearing<Told>> {
  if (python === undefined) throw new Error(noPika);
  const script = fileURLToPath(new URL('listener.py', import.meta.url));
  const child = spawn(python, ['-B', script, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.stdin.end();
    await ended;
  });
  const hearing = new Hearing<Told>();
  const lines = createInterface({ input: child.stdout });
  const listening = once(lines, 'line');
  await Promise.race([
    listening,
    ended.then(([code]) => {
      throw new Error(`the listener ended with ${code}`);
    }),
  ]);
  lines.on('line', (line) => hearing.add(JSON.parse(line) as Told));
  return hearing;
}
