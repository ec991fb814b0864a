/** Errors of requests to a Kubernetes API, with the codes of `engine/vocabulary/error-codes.ts`. */
import type { errorMeanings } from '../../../engine/vocabulary/error-codes.ts';
import { property } from '../../../engine/vocabulary/json.ts';
import { messageOf, rootCodeOf } from '../../../engine/vocabulary/thrown-values.ts';
import { isTlsCode } from '../api-error.ts';
import { CommandError } from '../exit-codes.ts';
import { printableText } from '../terminal.ts';

type KubernetesCode = Extract<keyof typeof errorMeanings, `KUBERNETES_${string}`>;

export class KubernetesError extends CommandError {
  readonly code: KubernetesCode;
  /** How soon the API wants the next attempt, in ms; absent: it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(code: KubernetesCode, sentence: string, retryAfterMs?: number) {
    super(printableText(`${sentence} (${code})`));
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed soon. */
  get isPassing(): boolean {
    return this.code === 'KUBERNETES_UNAVAILABLE';
  }
}

const PASSING_STATUSES = [429, 500, 502, 503, 504];
const LONGEST_REASON = 400;

/** @param body the `Status` that Kubernetes answers, as JSON */
export function statusError(status: number, body: unknown, host: string, retryAfter?: string): KubernetesError {
  const message = property(body, 'message');
  const reason = typeof message === 'string' ? `: ${message.slice(0, LONGEST_REASON).replace(/\.$/, '')}` : '';
  const sentence = `Kubernetes at ${host} answers ${status}${reason}`;
  if (PASSING_STATUSES.includes(status))
    return new KubernetesError('KUBERNETES_UNAVAILABLE', sentence, secondsIn(retryAfter));
  if (status === 401)
    return new KubernetesError(
      'KUBERNETES_UNAUTHORIZED',
      `Kubernetes at ${host} does not accept the token; name another by --token-file or KUBERNETES_TOKEN`,
    );
  if (status === 403)
    return new KubernetesError('KUBERNETES_FORBIDDEN', `${sentence}; bind the role of the page to this account`);
  if (status === 409) return new KubernetesError('KUBERNETES_CONFLICT', sentence);
  if (status === 410) return new KubernetesError('KUBERNETES_GONE', sentence);
  return new KubernetesError('KUBERNETES_REJECTED', sentence);
}

const secondsIn = (retryAfter: string | undefined): number | undefined =>
  retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined;

/** There is no answer. */
export function noKubernetesError(error: unknown, host: string): KubernetesError {
  if (error instanceof KubernetesError) return error;
  const code = rootCodeOf(error);
  if (code === 'EPROTO')
    return new KubernetesError('KUBERNETES_UNEXPECTED', `${host} does not speak TLS; correct the URL (--server)`);
  if (isTlsCode(code))
    return new KubernetesError(
      'KUBERNETES_UNEXPECTED',
      `The certificate of ${host} is not trusted (${code}); name the file of its authority by --server-ca`,
    );
  return new KubernetesError(
    'KUBERNETES_UNAVAILABLE',
    `No answer from Kubernetes at ${host}: ${code || messageOf(error)}`,
  );
}

/** An answer that is not from a Kubernetes API. */
export const unlikeKubernetes = (host: string, actual: string): KubernetesError =>
  new KubernetesError(
    'KUBERNETES_UNEXPECTED',
    `${host} answers ${actual}, expected JSON of Kubernetes; correct the URL (--server), or the proxy before it`,
  );
