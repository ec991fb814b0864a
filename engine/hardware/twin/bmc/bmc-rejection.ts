/** Errors of a BMC (DSP0266, 8.6). */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { type BaseMessage, baseMessage, GENERAL_ERROR } from './registry-messages.ts';

/** Ends a request without a change. Its message is of the registry. */
export class BmcRejection extends Error {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Record<string, string>;

  /** @param words fill the message's places @param more instead of the usual resolution */
  constructor(
    status: number,
    id: BaseMessage,
    words: readonly string[] = [],
    { resolution, headers = {} }: { resolution?: string; headers?: Record<string, string> } = {},
  ) {
    const info = baseMessage(id, words, 'Warning', resolution);
    super(String(info.Message));
    this.status = status;
    this.headers = headers;
    this.body = {
      error: {
        code: GENERAL_ERROR,
        message: 'A general error has occurred. See ExtendedInfo for more information.',
        '@Message.ExtendedInfo': [{ '@odata.type': '#Message.v1_1_2.Message', ...info }],
      },
    };
  }
}

/** A 400. */
export const badRequest = (id: BaseMessage, ...words: string[]): BmcRejection => new BmcRejection(400, id, words);
