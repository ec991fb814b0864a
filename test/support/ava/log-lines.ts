/** A log of every level whose lines a test can inspect. */
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

export function logLines(): { log: Logger; lines: readonly string[] } {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: pino({ level: 'trace' }, sink), lines };
}
