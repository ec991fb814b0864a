/**
 * The nonce of a callback, as text: `nwcb.<workflow>.<number of its task entry>.<visit>.<HMAC>`. It is a secret, and its
 * prefix makes it recognizable wherever a tool may have printed it.
 */
export interface CallbackNonce {
  workflow: string;
  /** The place of the label among the workflow's task entries. */
  index: number;
  /** Counts the calls of the label, from 1 on. */
  visit: number;
  /** HMAC-SHA256 in base64url. */
  mac: string;
}

const WHOLE = /^nwcb\.([\w-]{1,128})\.(\d{1,6})\.(\d{1,9})\.([\w-]{43})$/;
const ANYWHERE = /nwcb\.[\w-]+\.\d+\.\d+\.[\w-]{43}/g;

export const formatNonce = ({ workflow, index, visit, mac }: CallbackNonce): string =>
  `nwcb.${workflow}.${index}.${visit}.${mac}`;

/** @returns undefined for a text that is no nonce of a callback */
export function parseNonce(text: string): CallbackNonce | undefined {
  const [, workflow, index, visit, mac] = WHOLE.exec(text) ?? [];
  if (workflow === undefined || mac === undefined) return undefined;
  return { workflow, index: Number(index), visit: Number(visit), mac };
}

/** The URL that takes the nonce. @param base of the southbound API, such as `http://10.1.1.1:9080/api/current` */
export const callbackUrl = (base: string, nonce: string): string => `${base}/notification/callback?nonce=${nonce}`;

/** The text as anyone may read it. */
export const withoutNonces = (text: string): string =>
  text.includes('nwcb.') ? text.replace(ANYWHERE, 'REDACTED') : text;
