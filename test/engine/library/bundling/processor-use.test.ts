/** The CPU time and the state of a process, by which a trial distinguishes a text that hangs from one that waits for a processor. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type ProcessorUse, processorUse } from '../../../../engine/library/bundling/processor-use.ts';
import { needing } from '../../../support/ava/needs.ts';
import type { Scope } from '../../../support/ava/scope.ts';
import { seen } from '../../../support/faults/workload.ts';

const test = needing(existsSync('/proc/self/stat') ? undefined : 'the system is not Linux');

function started(t: Scope, script: string): ChildProcess {
  const child = spawn('sh', ['-c', script], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

const use = ({ pid = 0 }: ChildProcess) => processorUse(pid);

test.serial('a process that computes is ready, and has used a processor', async (t) => {
  const child = started(t, 'while :; do :; done');
  const { isReady } = await seen<ProcessorUse>(async () => {
    const found = use(child);
    return found !== undefined && found.usedMs >= 50 && found;
  });
  t.true(isReady);
});

test.serial('a process that waits is not ready, and one that has ended has no use', async (t) => {
  const child = started(t, 'exec sleep 600');
  t.truthy(await seen(async () => use(child)?.isReady === false));
  child.kill('SIGKILL');
  t.true(await seen(async () => use(child) === undefined));
});
