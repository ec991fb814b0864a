/** A copy of the tests of a checkout of RackHD, with the address of the daemon and, on request, the adaptions. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adaptions } from './adaptions.ts';

export interface Ports {
  http: number;
  https: number;
}

/** @param checkout of github.com/RackHD/RackHD @returns the folder of the copy @throws if it is none */
export function copyOf(checkout: string, folder: string, ports: Ports, isAdapted: boolean): string {
  const tests = join(checkout, 'test');
  if (!existsSync(join(tests, 'run_tests.py')))
    throw new Error(`${checkout} is no checkout of RackHD: it has no test/run_tests.py`);
  const copy = join(folder, 'fit');
  cpSync(tests, copy, { recursive: true });
  const install = { ports: { ...ports, ssh: 22 } };
  writeFileSync(
    join(copy, 'config/daemon.json'),
    JSON.stringify({ 'install-config': install, rackhd_host: '127.0.0.1' }),
  );
  if (isAdapted) for (const { file, from, to } of adaptions) replace(join(copy, file), from, to);
  return copy;
}

function replace(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${path} has no ${JSON.stringify(from)}; correct test/fit/adaptions.ts`);
  writeFileSync(
    path,
    text.replaceAll(from, () => to),
  );
}
