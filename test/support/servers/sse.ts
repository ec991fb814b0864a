/** A reader of Server-Sent Events, without a library: the format is part of what is tested. */
import { type IncomingMessage, request } from 'node:http';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from './hearing.ts';

/** A block with data. */
export interface Streamed {
  seq: number;
  name: string;
  data: Record<string, unknown>;
}

export interface EventReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: Hearing<Streamed>;
  /** The lines of comments, and blocks with an id alone. */
  readonly others: Hearing<string>;
  /** Resolves when the stream has ended; true: in an orderly way. */
  readonly ended: Promise<boolean>;
  /** Reads no more; nothing is taken from the socket. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Resolves when the answer has begun. */
export function readEvents(t: Scope, url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, agent: false });
    t.teardown(() => asked.destroy());
    asked.once('error', reject);
    asked.once('response', (answer) => {
      const events = new Hearing<Streamed>();
      const others = new Hearing<string>();
      let left = '';
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        const blocks = (left + text).split('\n\n');
        left = blocks.pop() ?? '';
        for (const block of blocks) read(block, events, others);
      });
      answer.on('error', () => {});
      asked.on('error', () => {});
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        events,
        others,
        ended: new Promise((done) => answer.once('close', () => done(answer.complete))),
        pause: () => void answer.socket.pause(),
        resume: () => void answer.socket.resume(),
        close: () => void asked.destroy(),
      });
    });
    asked.end();
  });
}

function read(block: string, events: Hearing<Streamed>, others: Hearing<string>): void {
  const fields = new Map(block.split('\n').map((line) => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*: ?/, '')]));
  const [data, id, name] = [fields.get('data'), fields.get('id'), fields.get('event')];
  if (data === undefined) others.add(block);
  else events.add({ seq: Number(id), name: name ?? 'message', data: JSON.parse(data) });
}
