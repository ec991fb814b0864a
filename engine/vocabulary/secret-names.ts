/**
 * Names that indicate a secret: of options, response fields, headers, URL parameters.
 *
 * A name is split into words (camelCase, snake_case, kebab-case, spaces). It indicates a secret if a word is in the
 * list or contains an unmistakable one (`ipmipassword`), or if two adjacent words form a pair (`api_key`), unless
 * another word shows that the value is only about the secret, such as `tokenCount` or `password-policy`.
 */

/** Unmistakable, even inside a longer word. */
const inside =
  /passwor[dt]|passwd|passphrase|passcode|pwd|secret|token|credential|apikey|privatekey|privkey|authkey|accesskey|bearer|cookie|authorization|kerberos|keytab|presharedkey/;
/** Only as a separate word; for values of any type. */
const words = new Set(['psk', 'creds', 'cred', 'jwt', 'otp', 'totp', 'passkey', 'pswd', 'passw']);
/** The same, but only for text values: a number with such a name is more likely a weight or a count. */
const textWords = new Set(['pass', 'pw', 'kg', 'community', 'communities', 'pin']);
/** Words before `key`. */
const keys = new Set(
  [
    ...['api', 'private', 'secret', 'access', 'encryption', 'shared', 'signing', 'auth', 'master', 'session', 'priv'],
    ...['node', 'nodewright', 'license', 'recovery', 'aes', 'hmac', 'kg', 'wep', 'wpa', 'storage', 'account'],
  ].map((word) => `${word} key`),
);
const pairs = new Set([...keys, 'session id', 'auth data']);

/** Words that end in `pass` but are not secret. */
const innocent = /^(by|com|encom|en|over|under|sur|tres|im|multi|single|first|one|two)pass$/;

/** As the last word of a name: the value is about the secret. */
const about = new Set([
  ...['count', 'counts', 'type', 'types', 'kind', 'length', 'len', 'size', 'limit', 'min', 'max', 'minimum', 'maximum'],
  ...[
    'policy',
    'policies',
    'expire',
    'expires',
    'expiry',
    'expiration',
    'expired',
    'in',
    'at',
    'age',
    'ttl',
    'lifetime',
  ],
  ...[
    'timeout',
    'status',
    'state',
    'url',
    'uri',
    'endpoint',
    'path',
    'file',
    'filename',
    'algorithm',
    'hint',
    'prompt',
  ],
  ...['format', 'version', 'enabled', 'disabled', 'required', 'supported', 'attempts', 'retries', 'edition', 'rate'],
  ...[
    'through',
    'thru',
    'fail',
    'ratio',
    'fraction',
    'threshold',
    'complexity',
    'history',
    'changed',
    'bytes',
    'locked',
  ],
]);
/** As the first word. */
const aboutFirst = new Set([
  'max',
  'min',
  'num',
  'number',
  'count',
  'total',
  'has',
  'is',
  'needs',
  'requires',
  'verify',
]);

/** In the names of headers, such as `X-Auth`, whose value is a credential. */
const headerWords = new Set(['auth', 'authentication', 'session', 'signature', 'sign', 'sig', 'ticket', 'hmac', 'sso']);

const NAME_LENGTH = 256;

/** Whether a name indicates a secret. `text`: only if the value is a text. */
export type NamesSecret = 'any' | 'text' | false;

/** Quick check: every name that indicates a secret matches. */
const fragment =
  /pass|pwd|pw|pswd|secret|token|cred|key|bearer|cookie|auth|kerberos|psk|kg|communit|jwt|otp|pin|session|sig|ticket|hmac|sso/i;

export const namesSecret = (name: string): NamesSecret => fragment.test(name) && judge(name.slice(0, NAME_LENGTH));

function judge(name: string): NamesSecret {
  const parts = wordsOf(name);
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (parts.length > 1 && (about.has(last) || aboutFirst.has(first))) return false;
  const pairsHere = parts.slice(1).map((part, at) => `${parts[at]} ${part}`);
  if (parts.some((part) => words.has(part) || isInside(part)) || pairsHere.some((pair) => pairs.has(pair)))
    return 'any';
  if (first === 'x' && parts.some((part) => headerWords.has(part))) return 'text';
  return parts.some((part) => textWords.has(part) || (/(pass|pw)$/.test(part) && !innocent.test(part)))
    ? 'text'
    : false;
}

/** Ignores words such as `tokenizer` and `secretary`. */
const isInside = (part: string): boolean => inside.test(part.replace(/tokeniz\w*|secretar\w*/g, ''));

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== '');

/** Whether a value with this name is a secret. Booleans and empty values never are. */
export function isSecret(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return false;
  const how = namesSecret(name);
  return how === 'any' || (how === 'text' && typeof value !== 'number');
}

/** A credential after its scheme (RFC 9110, 11.4), and nothing else. */
const schemed = /^(?:bearer|basic|digest|token|jwt|api-?key|negotiate|oauth|hawk) +[^\s,]{4,}$/i;

/** Whether a value that is sent beside secrets, such as a header, is a credential: by its scheme, or by its name. */
export const isCredential = (name: string, value: string): boolean =>
  schemed.test(value) ||
  wordsOf(name.slice(0, NAME_LENGTH)).some((word) => headerWords.has(word) || word === 'authorization');
