/**
 * Finds the secrets in plain data and replaces them.
 *
 * 1. A value is a secret if any schema that describes it marks it (`secret`). It is also a secret if its name indicates
 *    one (`secret-names.ts`) and either no schema describes it or it is a text: the schema's author may have forgotten the
 *    mark.
 * 2. Within other texts, the secret parts are those that URLs, headers, assignments and JSON inside them reveal.
 */
import { withoutNonces } from './callback.ts';
import { hideEncrypted, REDACTED } from './encrypted-values.ts';
import { isObject, type JsonObject } from './json.ts';
import { isSecret, namesSecret } from './secret-names.ts';
import { mapInner } from './texts.ts';

interface Shape {
  secret?: unknown;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  items?: Shape | Shape[];
  allOf?: Shape[];
  anyOf?: Shape[];
  oneOf?: Shape[];
}

/** Computes the replacement of a secret. */
export interface Hiding {
  /** Replaces a whole value. */
  value(secret: unknown): unknown;
  /** Replaces a part of a text. */
  part(secret: string): string;
  /** Changes every other text, keys included. */
  text?(text: string): string;
}

export const redacting: Hiding = {
  value: (secret) => (secret === undefined || secret === null ? secret : REDACTED),
  part: () => REDACTED,
};

/** As `redact` does. */
export const redactingNonces: Hiding = { ...redacting, text: withoutNonces };

/**
 * Returns the value with every secret and callback nonce as `REDACTED`.
 * @param schemas of the value; none: only names decide
 */
export const redact = (schemas: readonly object[], value: unknown): unknown => conceal(schemas, value, redactingNonces);

export const redactText = (text: string): string => concealText(text, redacting.part);

export const conceal = (schemas: readonly object[], value: unknown, hiding: Hiding): unknown =>
  hide(schemas as readonly Shape[], value, hiding);

function hide(shapes: readonly Shape[], value: unknown, hiding: Hiding): unknown {
  const all = shapes.length === 0 ? shapes : shapes.flatMap(parts);
  if (all.some((shape) => shape.secret === true)) return hiding.value(value);
  if (typeof value === 'string') return textIn(value, hiding);
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items }) => items ?? []);
    return mapInner(value, (inner) => hide(items, inner, hiding));
  }
  if (!isObject(value)) return value;
  const named = namedValue(value);
  const hideInner = (inner: unknown, key: string) =>
    key === named ? hiding.value(inner) : hideKey(all, key, inner, hiding);
  return mapInner(value, hideInner, hiding.text);
}

function textIn(text: string, hiding: Hiding): string {
  const hidden = concealText(text, hiding.part);
  return hiding.text === undefined ? hidden : hiding.text(hidden);
}

function hideKey(shapes: readonly Shape[], key: string, value: unknown, hiding: Hiding): unknown {
  if (shapes.length === 0) return isSecret(key, value) ? hiding.value(value) : hide(shapes, value, hiding);
  const described = shapes.flatMap(({ properties = {} }) =>
    Object.hasOwn(properties, key) ? (properties[key] ?? []) : [],
  );
  if (isSecret(key, value) && (described.length === 0 || typeof value === 'string')) return hiding.value(value);
  const free = shapes.flatMap(({ additionalProperties: more }) => (typeof more === 'object' ? [more] : []));
  return hide(described.length > 0 ? described : free, value, hiding);
}

/** Returns a schema and all schemas that it combines on the same level. */
function parts(shape: Shape): Shape[] {
  const { allOf = [], anyOf = [], oneOf = [] } = shape;
  return [shape, ...[...allOf, ...anyOf, ...oneOf].flatMap(parts)];
}

const NAMES = ['name', 'Name', 'key', 'Key'];
const VALUES = ['value', 'Value', 'CurrentValue'];

/** Whether a key decides, with others, what is secret in its object. */
export const isNaming = (key: string): boolean => NAMES.includes(key) || VALUES.includes(key);

/** Returns the key that holds the secret of `{ "name": "X-Auth-Token", "value": "…" }`, here `value`. */
function namedValue(value: JsonObject): string | undefined {
  const name = NAMES.map((key) => value[key]).find((one) => typeof one === 'string');
  if (name === undefined) return undefined;
  return VALUES.find((key) => key in value && isSecret(name, value[key]));
}

/** Quick check: a text without a match holds no secret. */
const possibleSecret = /:\/\/|bearer|basic|=|:/i;
/** Up to the last `@` before the end of the host. In JSON it may contain an escaped quote. */
const userInfo = /(:\/\/)((?:\\.|[^\s"'<>\\/?#{])+)@/g;
const scheme = /\b(bearer|basic)(\s+)([\w.~+/-]{8,}=*)/gi;
/** `name=value`, as in URLs, forms, command lines and cookies. */
const assignment = /(?<![\w.-])([-.\d_]*)([A-Za-z][\w.-]*)=("(?:\\.|[^"\\])*"|'[^']*'|[^\s&;,"'<>\\#)]+)/g;
/** JSON inside a text; its quotes may be escaped. */
const member = /(\\{0,3}")([A-Za-z][\w .-]*)\1(\s*:\s*)\1((?:(?!\1)(?:\\.|[^\\\n]))+)\1/g;
/** `X-Auth-Token: value` at the start of a line. */
const header = /^([A-Za-z][\w-]*)(: *)(\S[^\r\n]*)$/gm;

/** A text with more secrets is hidden as a whole: to hide each would take long. */
const PARTS = 1_000;

/** @param part returns the replacement of a secret */
export function concealText(text: string, part: (secret: string) => string): string {
  if (!possibleSecret.test(text)) return text;
  let count = 0;
  const concealSecret = (secret: string) => {
    if (isReference(secret)) return secret;
    count += 1;
    if (count > PARTS) throw manyParts;
    return part(secret);
  };
  try {
    return hiddenIn(text, concealSecret);
  } catch (error) {
    if (error !== manyParts) throw error;
    return part(text);
  }
}

const manyParts = new Error('a text has very many secrets');

function hiddenIn(text: string, hidden: (secret: string) => string): string {
  let hiddenText = text;
  if (hiddenText.includes('://'))
    hiddenText = hiddenText.replace(userInfo, (_, slashes, info) => `${slashes}${inUser(info, hidden)}@`);
  if (hiddenText.includes('"')) hiddenText = inMembers(hiddenText, hidden);
  hiddenText = hiddenText.replace(scheme, (all, name, space, value) =>
    isSecretOfScheme(name, value) ? `${name}${space}${hidden(value)}` : all,
  );
  if (hiddenText.includes('='))
    hiddenText = hiddenText.replace(assignment, (all, dashes, name, value) =>
      namesSecret(name) ? `${dashes}${name}=${concealedAssignment(value, hidden)}` : all,
    );
  return hiddenText.replace(header, (all, name, colon, value) =>
    isHeader(name) ? `${name}${colon}${hidden(value)}` : all,
  );
}

/** Keeps the user if a password follows: operations need it. `shownText` redacts the user as well. */
function inUser(info: string, hidden: (secret: string) => string): string {
  const colon = info.indexOf(':');
  return colon === -1 ? hidden(info) : `${info.slice(0, colon + 1)}${hidden(info.slice(colon + 1))}`;
}

function concealedAssignment(value: string, hidden: (secret: string) => string): string {
  const quote = /^["']/.exec(value)?.[0] ?? '';
  const inner = quote === '' ? value : value.slice(1, -1);
  return inner === '' ? value : `${quote}${hidden(inner)}${quote}`;
}

/** A value may itself be JSON, with its quotes escaped once more. */
const inMembers = (text: string, hidden: (secret: string) => string): string =>
  text.replace(member, (_, quote, name, colon, value) => {
    const shownValue = namesSecret(name) ? hidden(value) : value.includes('"') ? inMembers(value, hidden) : value;
    return `${quote}${name}${quote}${colon}${quote}${shownValue}${quote}`;
  });

/** Distinguishes a credential from the next word of a sentence. */
const isSecretOfScheme = (scheme: string, value: string): boolean =>
  /^basic$/i.test(scheme)
    ? Buffer.from(value, 'base64').includes(':')
    : value.length >= 24 || /[\d._~+/-]/.test(value.slice(0, -1));

/** Header names have no prose before the colon: `password: is missing` is not a header. */
const isHeader = (name: string): boolean =>
  /^([A-Z][a-z]*-)|^(Authorization|Cookie)$/i.test(name) && namesSecret(name) !== false;

/** True for a template, which only refers to a secret, and for a value that is already hidden. */
const isReference = (text: string): boolean =>
  text.includes('{{') || text === REDACTED || hideEncrypted(text) === REDACTED;

/** A whole `user:password` in a URL. */
const shownUser = /(:\/\/)(?:\\.|[^\s"'<>\\/?#])+@/g;

/**
 * Redacts encrypted values and user names in URLs. Every exit calls it on the outgoing text, so that no inner code can
 * forget it.
 */
export function shownText(text: string): string {
  const hidden = hideEncrypted(text);
  return hidden.includes('://') ? hidden.replace(shownUser, `$1${REDACTED}@`) : hidden;
}
