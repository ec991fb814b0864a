/** Sends the alerts of BMCs to their subscribers, from the address of the BMC, three times at most. */

import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';

const TRIES = 3;
const ALERT_TIMEOUT_MS = 10_000;
const RESEND_MS = 1_000;
/** Alerts that wait beyond these are dropped, as BMCs do. */
const MAX_WAITING = 10_000;
const AT_A_TIME = 32;

export class AlertSender {
  readonly #limit = pLimit(AT_A_TIME);
  readonly #stop = new AbortController();
  readonly #sending = new Set<Promise<void>>();

  /** @param from the address of the BMC @param url checked before @param body as JSON */
  send(from: string, url: string, body: unknown): void {
    if (this.#sending.size >= MAX_WAITING) return;
    const sending = this.#limit(() => this.#deliver(from, url, JSON.stringify(body)));
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the twin ends'));
    await Promise.allSettled(this.#sending);
  }

  async #deliver(localAddress: string, url: string, text: string): Promise<void> {
    for (let attempt = 1; attempt <= TRIES && !this.#stop.signal.aborted; attempt += 1) {
      const isTaken = await this.#post(localAddress, url, text).catch(() => false);
      if (isTaken) return;
      await sleep(RESEND_MS, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {}); // it ends
    }
  }

  #post(localAddress: string, url: string, text: string): Promise<boolean> {
    const send = url.startsWith('https:') ? secureRequest : request;
    const options = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      localAddress,
      timeout: ALERT_TIMEOUT_MS,
      signal: this.#stop.signal,
      rejectUnauthorized: false,
    };
    return new Promise((resolve, reject) => {
      const sent = send(url, options, (answer) => {
        answer.resume();
        resolve((answer.statusCode ?? 500) < 400);
      });
      sent
        .on('timeout', () => sent.destroy(new Error('no answer')))
        .on('error', reject)
        .end(text);
    });
  }
}
