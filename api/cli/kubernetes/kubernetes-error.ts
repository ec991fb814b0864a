/** Errors of requests to a Kubernetes API, with the codes of `engine/vocabulary/error-codes.ts`. */
import type { errorMeanings } from '../../../engine/vocabulary/error-codes.ts';
import { property } from '../../../engine/vocabulary/json.ts';
import { missingAnswer, RemoteError } from '../remote-requests.ts';

type KubernetesCode = Extract<keyof typeof errorMeanings, `KUBERNETES_${string}`>;

export class KubernetesError extends RemoteError<KubernetesCode> {
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
  const { isOutage, sentence } = missingAnswer(error, {
    system: 'Kubernetes',
    host,
    urlFrom: '--server',
    authorityFrom: '--server-ca',
  });
  return new KubernetesError(isOutage ? 'KUBERNETES_UNAVAILABLE' : 'KUBERNETES_UNEXPECTED', sentence);
}

/** An answer that is not from a Kubernetes API. */
export const unlikeKubernetes = (host: string, actual: string): KubernetesError =>
  new KubernetesError(
    'KUBERNETES_UNEXPECTED',
    `${host} answers ${actual}, expected JSON of Kubernetes; correct the URL (--server), or the proxy before it`,
  );
