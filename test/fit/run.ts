/** Runs one suite of RackHD's tests, and reads the report of its runner (nose). */
import { spawn } from 'node:child_process';
import { appendFile } from 'node:fs/promises';

interface Suite {
  /** Folder of the tests. */
  copy: string;
  suite: string;
  python: string;
  /** Port of the daemon, without log-in. */
  port: number;
  amqp: string;
  /** File that gets the output of the suite. */
  output: string | undefined;
}

export interface FitReport {
  ran: number;
  skipped: number;
  failures: { test: string; reason: string }[];
}

const LIMIT_MS = 20 * 60_000;
const OUTPUT_LIMIT = 50_000_000;
const REASON = 200;

export async function runSuite({ copy, suite, python, port, amqp, output }: Suite): Promise<FitReport> {
  const args = ['run_tests.py', '-stack', 'vagrant_guest', '-extra', 'daemon.json', '-rackhd_host', '127.0.0.1'];
  const more = ['-port', String(port), '-http', '-v', '1', '--sm-amqp-url', amqp, '-test', suite];
  const child = spawn(python, [...args, ...more], { cwd: copy, signal: AbortSignal.timeout(LIMIT_MS) });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      if (text.length < OUTPUT_LIMIT) text += part;
    });
  }
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  if (output !== undefined) await appendFile(output, text);
  return reportIn(text);
}

/** @param text output of nose */
export function reportIn(text: string): FitReport {
  const [, ran = '0'] = /^Ran (\d+) tests?/m.exec(text) ?? [];
  const [, skipped = '0'] = /SKIP=(\d+)/.exec(text) ?? [];
  const parts = text.split(/^={60,}$/m).slice(1);
  const failures = new Map<string, string>();
  for (const part of parts) {
    const [, test] = /^(?:FAIL|ERROR): (.*)$/m.exec(part) ?? [];
    // A test whose tidying fails too is shown twice.
    if (test !== undefined && !failures.has(test)) failures.set(test, reasonIn(part));
  }
  const each = [...failures].map(([test, reason]) => ({ test, reason }));
  return { ran: Number(ran), skipped: Number(skipped), failures: each };
}

/** The last line of the traceback, with the answer of the daemon if it shows one. */
function reasonIn(part: string): string {
  const [traceback = ''] = part.split('-------------------- >> begin captured');
  const [, answer] = /^HTTP response body: (.*)$/m.exec(traceback) ?? [];
  const lines = traceback.split('\n').filter((line) => /^[A-Za-z.]*(Error|Exception)\b/.test(line));
  return (answer ?? lines.at(-1) ?? 'no reason in the output').slice(0, REASON);
}
