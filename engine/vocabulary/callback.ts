/**
 * The nonce of a callback as text: `nwcb.<workflow>.<index of its task entry>.<visit>.<HMAC>`. A nonce is a secret; its
 * prefix makes it recognizable in any tool's output.
 */
export interface CallbackNonce {
  workflow: string;
  /** Index of the label among the workflow's task entries. */
  index: number;
  /** Number of the label's task run, from 1. */
  visit: number;
  /** HMAC-SHA256 in base64url. */
  mac: string;
}

const NONCE = /^nwcb\.([\w-]{1,128})\.(\d{1,6})\.(\d{1,9})\.([\w-]{43})$/;
const NONCES_IN_TEXT = /nwcb\.[\w-]+\.\d+\.\d+\.[\w-]{43}/g;

export const formatNonce = ({ workflow, index, visit, mac }: CallbackNonce): string =>
  `nwcb.${workflow}.${index}.${visit}.${mac}`;

/** @returns undefined if the text is not a callback nonce */
export function parseNonce(text: string): CallbackNonce | undefined {
  const [, workflow, index, visit, mac] = NONCE.exec(text) ?? [];
  if (workflow === undefined || mac === undefined) return undefined;
  return { workflow, index: Number(index), visit: Number(visit), mac };
}

/** The URL that accepts the nonce. @param base of the southbound API, such as `http://10.1.1.1:9080/api/current` */
export const callbackUrl = (base: string, nonce: string): string => `${base}/notification/callback?nonce=${nonce}`;

/** The secret in the URL of a node's boot image: `nwimg.<node>.<HMAC>`, with a prefix for the same reason. */
export const formatImageToken = (key: string): string => `nwimg.${key}`;
const IMAGE_TOKENS_IN_TEXT = /nwimg\.[\w-]+\.[\w-]{43}/g;

/** Replaces every callback nonce, and every secret of a boot image, in a text with `REDACTED`. */
export function withoutNonces(text: string): string {
  const rest = text.includes('nwcb.') ? text.replace(NONCES_IN_TEXT, 'REDACTED') : text;
  return rest.includes('nwimg.') ? rest.replace(IMAGE_TOKENS_IN_TEXT, 'REDACTED') : rest;
}
