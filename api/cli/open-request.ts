/** A request by Node's own client: loading undici takes longer than most commands. It follows no redirects. */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';

export interface RequestOptions {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  signal: AbortSignal;
  /** ms without a byte after which the connection ends. */
  silentMs: number;
}

/** The connections to one daemon. */
export class Connections {
  readonly #isSecure: boolean;
  readonly #certificates: string | undefined;
  #opened: Promise<{ agent: Agent; send: typeof request }> | undefined;

  /** @param certificates as PEM, to trust in addition to those that Node trusts */
  constructor(isSecure: boolean, certificates: string | undefined) {
    this.#isSecure = isSecure;
    this.#certificates = certificates;
  }

  /** Resolves with the head of the answer; its body is read from it. @throws what the connection or the signal throws */
  async open(url: string, { body, silentMs, ...options }: RequestOptions): Promise<IncomingMessage> {
    this.#opened ??= this.#isSecure
      ? this.#secure()
      : Promise.resolve({ agent: new Agent({ keepAlive: true }), send: request });
    const { agent, send } = await this.#opened;
    // Node sends no length of its own with DELETE, and the server would read the body as the next request.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const headers = { ...options.headers, ...length };
    const sent = send(url, { ...options, headers, agent, timeout: silentMs });
    sent.end(body);
    return answerTo(sent, options.signal);
  }

  async #secure() {
    const [https, { rootCertificates }] = await Promise.all([import('node:https'), import('node:tls')]);
    // Alone, they would replace those that Node trusts.
    const ca = this.#certificates === undefined ? {} : { ca: [...rootCertificates, this.#certificates] };
    return { agent: new https.Agent({ keepAlive: true, ...ca }), send: https.request };
  }

  async close(): Promise<void> {
    (await this.#opened)?.agent.destroy();
  }
}

function answerTo(sent: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('timeout', () => sent.destroy(new Error('The request was aborted due to timeout')));
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : error));
  });
}
