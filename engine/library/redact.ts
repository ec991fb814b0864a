/**
 * Hides secrets in options before they are shown: those that the schema marks, those that their names give away, and nonces of
 * callbacks.
 */
import { withoutNonces } from '../define/callback.ts';
import type { Json } from './types.ts';

const REDACTED = 'REDACTED';
const telling = /passw(or)?d|passphrase|secret|token|credential|private[-_]?key|api[-_]?key/i;

interface Shape {
  secret?: unknown;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  items?: Shape | Shape[];
  allOf?: Shape[];
  anyOf?: Shape[];
  oneOf?: Shape[];
}

/**
 * A copy with every secret as `REDACTED`. A value is a secret when any schema that speaks of it says so. By its name
 * alone, when no schema describes it, or when it is a text: a schema may have forgotten the mark.
 *
 * @param schema JSON Schema of the options; absent: names decide
 */
export function redact(schema: object | undefined, options: unknown): unknown {
  return hide(schema === undefined ? [] : [schema as Shape], options);
}

function hide(shapes: readonly Shape[], value: unknown): unknown {
  const all = shapes.flatMap(parts);
  if (all.some((shape) => shape.secret === true)) return value === undefined || value === null ? value : REDACTED;
  if (Array.isArray(value))
    return value.map((inner) =>
      hide(
        all.flatMap(({ items }) => items ?? []),
        inner,
      ),
    );
  if (typeof value === 'string') return withoutNonces(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value as Json).map(([key, inner]) => [key, hideKey(all, key, inner)]));
}

function hideKey(shapes: readonly Shape[], key: string, value: unknown): unknown {
  const described = shapes.flatMap(({ properties = {} }) =>
    Object.hasOwn(properties, key) ? [properties[key] as Shape] : [],
  );
  const named = telling.test(key) && value !== null && value !== undefined;
  if (named && (described.length === 0 || typeof value === 'string')) return REDACTED;
  const free = shapes.flatMap(({ additionalProperties: more }) => (typeof more === 'object' ? [more] : []));
  return hide(described.length > 0 ? described : free, value);
}

/** A schema and all that are part of it without going a level deeper. */
function parts(shape: Shape): Shape[] {
  const { allOf = [], anyOf = [], oneOf = [] } = shape;
  return [shape, ...[...allOf, ...anyOf, ...oneOf].flatMap(parts)];
}
