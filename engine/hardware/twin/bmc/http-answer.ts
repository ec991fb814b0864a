/** Answers a request that reached a BMC by HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../../vocabulary/thrown-values.ts';
import { MIB } from '../../../vocabulary/units.ts';
import type { Model } from '../machine/model.ts';
import type { MachineBmc } from './bmc.ts';
import { BmcRejection } from './bmc-rejection.ts';
import type { BmcAnswer } from './bmc-request.ts';
import { readBmcBody } from './read-body.ts';

const UNREAD_LIMIT = MIB;

export interface AnsweringBmc {
  /** Absent: it takes no images. */
  model?: Model;
  bmc: Pick<MachineBmc, 'answer'>;
}

/** A request that is never answered stays open, as with a BMC that hangs: the client's timeout ends it. */
export async function answerByHttp(
  service: AnsweringBmc,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the client is gone')));
  try {
    const answer = await answerTo(service, request, gone.signal);
    if (answer === 'silent') return;
    response.writeHead(answer.status, answer.headers);
    if (answer.follow === undefined) response.end(answer.body);
    else follow(answer.follow, response);
  } catch (error) {
    if (gone.signal.aborted) return;
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`the twin failed: ${messageOf(error)}`);
  }
}

/** A client that does not read is disconnected. */
function follow(begin: BmcAnswer['follow'] & {}, response: ServerResponse): void {
  response.flushHeaders();
  const end = begin((text) => {
    if (response.writableLength > UNREAD_LIMIT) response.destroy();
    else response.write(text);
  });
  response.once('close', end);
}

async function answerTo({ model, bmc }: AnsweringBmc, request: IncomingMessage, signal: AbortSignal) {
  const { method = 'GET', url: path = '/', headers } = request;
  try {
    return await bmc.answer({ method, path, headers, ...(await readBmcBody(request, method, path, model)) }, signal);
  } catch (error) {
    if (error instanceof BmcRejection) return rejectionAnswer(error);
    throw error;
  }
}

const rejectionAnswer = ({ status, body }: BmcRejection): BmcAnswer => ({
  status,
  headers: { 'content-type': 'application/json', connection: 'close' },
  body: JSON.stringify(body),
});
