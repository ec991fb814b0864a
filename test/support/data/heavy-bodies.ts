/** Bodies as wide, deep and long as senders can make them, for each route: derived from the schemas of the routes. */
import { gzipSync } from 'node:zlib';
import { type TSchema, Type } from 'typebox';
import { northboundRoutes } from '../../../api/endpoint/northbound.ts';
import { southboundRoutes } from '../../../api/endpoint/southbound.ts';
import type { Route } from '../../../api/http/route.ts';
import type { BodySize } from '../../../api/middleware/body.ts';

/** No handler runs: the routes only give their paths and schemas. */
const none = {} as Parameters<typeof northboundRoutes>[0];
export const routesOf = { northbound: northboundRoutes(none), southbound: southboundRoutes(none) };

const HERE = '@@';
const KIB = 1_024;
/** Keys of one object; the widest catalogs have several. */
const KEYS = 20_000;
/** Values that pass further checks than the schema's. */
const known: Record<string, unknown> = {
  name: 'Graph.noop-example',
  username: 'heavy',
  password: 'correct-horse',
  role: 'ReadOnly',
  url: 'http://127.0.0.1:9/',
  service: 'noop-obm-service',
  type: 'compute',
  command: 'cancel',
};

interface Shape {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: TSchema[];
  items?: TSchema;
  minItems?: number;
  properties?: Record<string, TSchema>;
  required?: string[];
  patternProperties?: Record<string, TSchema>;
}

/** A small value of the schema. */
function sample(schema: TSchema, name = ''): unknown {
  const shape = schema as Shape;
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum[0];
  if (shape.anyOf !== undefined) return sample(shape.anyOf[0] as TSchema, name);
  if (shape.type === 'array') return shape.minItems ? [sample(shape.items ?? Type.Unknown(), name)] : [];
  if (shape.type === 'object') return required(shape);
  if (shape.type === 'boolean') return true;
  if (shape.type === 'integer' || shape.type === 'number') return 1;
  return known[name] ?? 'x';
}

const required = ({ properties = {}, required: names = [] }: Shape): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, sample(properties[name] ?? Type.Unknown(), name)]));

/** Values of the schema with a mark at one place: each place where it takes anything, a list or a text. */
function marked(schema: TSchema, name = ''): unknown[] {
  const shape = schema as Shape;
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap((one) => marked(one, name));
  if (shape.type === 'array') return [HERE, ...marked(shape.items ?? Type.Unknown(), name).map((inner) => [inner])];
  if (shape.type !== 'object') return [HERE];
  const inner = Object.entries(shape.properties ?? {}).flatMap(([key, one]) =>
    marked(one, key).map((found) => ({ ...required(shape), [key]: found })),
  );
  const free = shape.properties === undefined || shape.patternProperties !== undefined;
  return free ? [HERE, { 'no-op': HERE }, ...inner] : inner;
}

export interface HeavyBody<Text = string | Buffer> {
  name: string;
  /** Made when it is sent: most bodies are not, and have megabytes. */
  text: () => Text;
}

const join = (count: number, make: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => make(n)).join(',');

const filled = new Map<string, Record<string, string>>();

/** Most routes have the same limits, and texts of megabytes take their time. */
function fillingsOf(size: BodySize): Record<string, string> {
  const key = JSON.stringify(size);
  const known = filled.get(key) ?? fillings(size);
  filled.set(key, known);
  return known;
}

/** Texts for the marks: the widest, deepest and longest values of a size. */
function fillings({ bytes, values }: BodySize): Record<string, string> {
  const keys = (from: number, count: number) => `{${join(count, (n) => `"k${from + n}":0`)}}`;
  const groups = Math.ceil(values / KEYS);
  const wide = groups === 1 ? keys(0, values) : `[${join(groups, (n) => keys(n * KEYS, KEYS - 1))}]`;
  return {
    keys: wide,
    objects: `[${join(values, () => '{}')}]`,
    texts: `[${join(values, (n) => `"${`${n} password=://`.padEnd(bytes / values - 16, 'a')}"`)}]`,
    deep: `${'{"a":['.repeat(24)}${join(values / 2, () => '0')}${']}'.repeat(24)}`,
    deeper: '['.repeat(bytes),
    long: `"${'password=a b://c@d Bearer '.repeat(bytes / 26)}"`,
  };
}

/** Bytes and values that a body has besides, so that it is within the limits. */
const REST = { bytes: 2_000, values: 60 };

/** All bodies of a route. */
export function* heavyBodies({
  body,
  bodyLimit = 256 * KIB,
  bodyValues = 20_000,
}: Route): Generator<HeavyBody<string>> {
  if (body === undefined) return;
  const bytes = Math.min(bodyLimit, 10 * KIB * KIB) - REST.bytes;
  const texts = fillingsOf({ bytes, values: Math.floor(Math.min(bodyValues, bytes / 12)) - REST.values });
  const places = new Set(marked(body).map((value) => JSON.stringify(value)));
  for (const place of places)
    for (const [name, text] of Object.entries(texts))
      yield { name: `${name} in ${place}`, text: () => place.replace(`"${HERE}"`, () => text) };
}

const LONG = 10 * KIB * KIB;

/** Contents of files: the longest text, the most places of a template, and an archive that grows a thousandfold. */
const contents: Record<string, string | Buffer> = {
  long: 'password=a b://c@d Bearer '.repeat(LONG / 26),
  tags: '<%= a %>'.repeat(LONG / 8),
  packed: gzipSync(Buffer.alloc(16 * LONG)),
};

/** All uploads of a route. */
export function* heavyUploads({ upload }: Route): Generator<HeavyBody> {
  if (upload !== undefined)
    for (const [name, text] of Object.entries(contents)) yield { name: `${name} upload`, text: () => text };
}
