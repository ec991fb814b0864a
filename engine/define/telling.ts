/**
 * Names that give a secret away: of options, fields of answers, headers, parameters of URLs.
 *
 * A name is taken apart into words (camelCase, snake_case, kebab-case, spaces). It tells when a word is one of the list,
 * contains one that is unmistakable (`ipmipassword`), or when two words in a row are (`api_key`); unless another word says
 * that the value is something about the secret, such as `tokenCount` or `password-policy`.
 */

/** Unmistakable, also inside a longer word. */
const inside =
  /passwor[dt]|passwd|passphrase|passcode|pwd|secret|token|credential|apikey|privatekey|privkey|authkey|accesskey|bearer|cookie|authorization|kerberos|keytab|presharedkey/;
/** As a word of its own, for values of any type. */
const words = new Set(['psk', 'creds', 'cred', 'jwt', 'otp', 'totp', 'passkey', 'pswd', 'passw']);
/** The same, but of texts alone: a number under these names is more likely a weight or a count. */
const textWords = new Set(['pass', 'pw', 'kg', 'community', 'communities', 'pin']);
/** What stands before `key`. */
const keys = new Set(
  [
    ...['api', 'private', 'secret', 'access', 'encryption', 'shared', 'signing', 'auth', 'master', 'session', 'priv'],
    ...['node', 'nodewright', 'license', 'recovery', 'aes', 'hmac', 'kg', 'wep', 'wpa', 'storage', 'account'],
  ].map((word) => `${word} key`),
);
const pairs = new Set([...keys, 'session id', 'auth data']);

/** Words that end in `pass` or `pw`, and are none. */
const innocent = /^(by|com|encom|en|over|under|sur|tres|im|multi|single|first|one|two)pass$/;

/** As the last words of a name: the value is about the secret. */
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

const LONGEST = 256;

/** How much a name tells: `text`: only when the value is a text. */
export type Tells = 'any' | 'text' | false;

/** Every name that tells has one of these; most names have none. */
const fragment =
  /pass|pwd|pw|pswd|secret|token|cred|key|bearer|cookie|auth|kerberos|psk|kg|communit|jwt|otp|pin|session/i;

export const tells = (name: string): Tells => fragment.test(name) && judged(name.slice(0, LONGEST));

function judged(name: string): Tells {
  const parts = wordsOf(name);
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (parts.length > 1 && (about.has(last) || aboutFirst.has(first))) return false;
  const pairsHere = parts.slice(1).map((part, at) => `${parts[at]} ${part}`);
  if (parts.some((part) => words.has(part) || isInside(part)) || pairsHere.some((pair) => pairs.has(pair)))
    return 'any';
  return parts.some((part) => textWords.has(part) || (/(pass|pw)$/.test(part) && !innocent.test(part)))
    ? 'text'
    : false;
}

/** `tokenizer` and `tokenized` deal with words. */
const isInside = (part: string): boolean => inside.test(part.replace(/tokeniz\w*|secretar\w*/g, ''));

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== '');

/** Whether a value under this name is a secret. `true` and `false` are none, whatever the name. */
export function isTelling(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return false;
  const how = tells(name);
  return how === 'any' || (how === 'text' && typeof value !== 'number');
}
