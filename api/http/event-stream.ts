/**
 * The log of events as Server-Sent Events: the body of an answer without an end.
 *
 * 1. A batch is read when the client has taken the one before, so at most one is buffered for a client.
 * 2. The texts of a batch are made once for all clients.
 * 3. A comment follows every 15 s. It moves the id of a client whose filters select few events, so that it does not
 *    return with one that is not kept any more.
 * 4. The stream ends when the token does not grant access any more, and when the endpoint closes.
 */
import { Readable } from 'node:stream';
import type { EventReader, LoggedBatch, LoggedEvent } from '../../engine/api-port/index.ts';
import type { Call } from './route.ts';

/** ms after which a comment is sent: a batch, perhaps an empty one, arrives about once a second. */
const COMMENT_MS = 13_500;
/** ms after which a token is checked again; with the time between two batches, a stream outlives its token by less than 5 s. */
const ADMITTED_MS = 3_000;
/** ms after which a client connects again. */
const RECONNECT_MS = 2_000;

type FollowCall = Pick<Call, 'engine' | 'signal' | 'isAdmitted' | 'identity' | 'address'> & {
  page: Pick<Call['page'], 'filter'>;
};

/** @throws EventsGone, or NodewrightError TOO_MANY_REQUESTS */
export async function eventStream(call: FollowCall, after: number | undefined): Promise<Readable> {
  const { engine, signal, page } = call;
  const cut = new AbortController();
  const batches = await engine.events.follow(after, signal, () => cut.abort(), readerOf(call));
  const isFiltered = Object.keys(page.filter).length > 0;
  const selects = engine.events.selects(page.filter);
  const textOf = isFiltered ? (batch: LoggedBatch) => batch.events.filter(selects).map(frameOf).join('') : wholeOf;
  const stream = Readable.from(framesOf(batches, textOf, call.isAdmitted), { objectMode: false });
  cut.signal.addEventListener('abort', () => stream.destroy(new Error('the reader of events is too slow')));
  return stream;
}

/** API tokens share the places of their user. */
const readerOf = ({ identity, address }: Pick<Call, 'identity' | 'address'>): EventReader => ({
  owner: identity === undefined ? `the address ${address}` : `the user ${identity.username}`,
  isAdministrator: identity?.privileges.includes('ConfigureManager') === true,
});

/** Frames that are sent together; `upTo` is the id of its last frame, or a later one. */
interface StreamedBatch {
  upTo: number;
}

/** @param textOf returns the frames of a batch; empty: it has none */
export async function* framesOf<Batch extends StreamedBatch>(
  batches: AsyncIterable<Batch>,
  textOf: (batch: Batch) => string | Buffer,
  isAdmitted: () => Promise<boolean>,
): AsyncGenerator<string | Buffer> {
  yield `retry: ${RECONNECT_MS}\n: connected\n\n`;
  let [commentAt, admittedAt] = [performance.now(), performance.now()];
  let lastId = 0;
  for await (const batch of batches) {
    if (performance.now() > admittedAt + ADMITTED_MS) {
      // While a store is unavailable, the last answer counts.
      if (!(await isAdmitted().catch(() => true))) return;
      admittedAt = performance.now();
    }
    const text = textOf(batch);
    if (text.length > 0) {
      yield text;
      lastId = batch.upTo;
    }
    if (performance.now() < commentAt + COMMENT_MS) continue;
    yield commentOf(batch, lastId);
    commentAt = performance.now();
    lastId = batch.upTo;
  }
}

/** A block with an id and without data is no event. */
const commentOf = ({ upTo }: StreamedBatch, lastId: number): string =>
  upTo > lastId ? `: alive\nid: ${upTo}\n\n` : ': alive\n\n';

const texts = new WeakMap<LoggedEvent, string>();
const buffers = new WeakMap<LoggedBatch, Buffer>();

function frameOf(event: LoggedEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = `id: ${event.seq}\nevent: ${event.type}.${event.action}\ndata: ${JSON.stringify(event)}\n\n`;
  texts.set(event, text);
  return text;
}

function wholeOf(batch: LoggedBatch): Buffer {
  const known = buffers.get(batch);
  if (known !== undefined) return known;
  const buffer = Buffer.from(batch.events.map(frameOf).join(''));
  buffers.set(batch, buffer);
  return buffer;
}
