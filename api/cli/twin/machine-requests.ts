/** The requests of machines to the daemon, each from the address of its machine. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Machine, SouthAnswer, SouthRequest } from '../../../engine/hardware/twin/machine/twin-machine.ts';
import { beginningOf, FILE_HEAD } from '../../../engine/vocabulary/byte-limits.ts';
import { MIB } from '../../../engine/vocabulary/units.ts';

const UNANSWERED_MS = 30_000;
/** Bytes; commands and answer files are much smaller. */
const ANSWER_LIMIT = 16 * MIB;
/** An idle connection of a machine is closed after this time: most machines ask rarely. */
const IDLE_MS = 30_000;

const NOTIFICATION = /\/notification(\/|\?|$)/;

export class MachineRequests {
  readonly #origin: string;
  readonly #formerOrigins: readonly string[];
  readonly #mayAsk: (url: string) => boolean;
  // One certificate authority for all: a twin is on the daemon's own host, so it does not verify.
  readonly #secure = new SecureAgent({ keepAlive: true, timeout: IDLE_MS, rejectUnauthorized: false });
  readonly #plain = new Agent({ keepAlive: true, timeout: IDLE_MS });

  /** @param origin of the southbound endpoint @param formerOrigins those at earlier starts, in URLs that machines still have */
  constructor(origin: string, mayAsk: (url: string) => boolean, formerOrigins: readonly string[] = []) {
    this.#origin = origin;
    this.#formerOrigins = formerOrigins;
    this.#mayAsk = mayAsk;
  }

  /** Returns the URL at which the daemon is now. */
  currentUrl(url: string): string {
    const { origin, href } = new URL(url, this.#origin);
    return this.#formerOrigins.includes(origin) ? new URL(href.slice(origin.length), this.#origin).href : href;
  }

  /** @throws Error if there is no answer, or the URL does not lead to this host */
  async ask(machine: Machine, asking: SouthRequest, signal: AbortSignal): Promise<SouthAnswer> {
    const url = this.currentUrl(asking.url);
    if (!this.#mayAsk(url))
      throw new Error(`${machine.name} does not ask ${new URL(url).host}: a twin sends to this host only`);
    const sender = machine.addressOf(asking);
    const answer = await this.#send(sender, url, asking, signal);
    if (machine.state.notifiesTwice && NOTIFICATION.test(url)) await this.#send(sender, url, asking, signal);
    return answer;
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  async #send(localAddress: string, url: string, asking: SouthRequest, signal: AbortSignal): Promise<SouthAnswer> {
    const { method, headers = {}, body, text, timeoutMs = UNANSWERED_MS, fileLimit } = asking;
    const content = body === undefined ? text : JSON.stringify(body);
    const options = {
      method,
      headers: {
        ...headers,
        ...(content !== undefined && {
          'content-type': body === undefined ? 'application/octet-stream' : 'application/json',
        }),
      },
      // A daemon on ::1 cannot be asked from an address of 127/8.
      ...(!url.includes('//[') && { localAddress }),
      signal,
      timeout: timeoutMs,
    };
    const sent = url.startsWith('https:')
      ? secureRequest(url, { ...options, agent: this.#secure })
      : request(url, { ...options, agent: this.#plain });
    sent.on('timeout', () => sent.destroy(new Error(`no answer from ${new URL(url).host} in ${timeoutMs} ms`)));
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', reject).end(content);
    });
    const limit = fileLimit ?? ANSWER_LIMIT;
    const tooLong = () => new Error(`${new URL(url).host} sends more than ${limit} bytes`);
    const length = Number(answer.headers['content-length'] ?? Number.NaN);
    const { head } = await beginningOf(answer, fileLimit === undefined ? limit : FILE_HEAD, limit, tooLong);
    return {
      status: answer.statusCode ?? 0,
      text: head.toString('utf8'),
      ...(Number.isSafeInteger(length) && { length }),
    };
  }
}
