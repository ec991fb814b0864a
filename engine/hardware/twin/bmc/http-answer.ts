/** Answers a request that reached a BMC by HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../../vocabulary/thrown-values.ts';
import type { Model } from '../machine/model.ts';
import type { MachineBmc } from './bmc.ts';
import { BmcRejection } from './bmc-rejection.ts';
import type { BmcAnswer } from './bmc-request.ts';
import { readBmcBody } from './read-body.ts';

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
    response.end(answer.body);
  } catch (error) {
    if (gone.signal.aborted) return;
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`the twin failed: ${messageOf(error)}`);
  }
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
