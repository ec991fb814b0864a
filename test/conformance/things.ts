/** Documents for the rules of stores. */
import type { ExecutionContext } from 'ava';
import type {
  Collection,
  CollectionSpec,
  Document,
  Store,
  VersionedDocument,
} from '../../engine/platform/store/port.ts';

export interface Thing extends VersionedDocument {
  name?: string | null;
  size?: number;
  on?: boolean;
  tags?: string[];
  deep?: { key?: string };
  free?: unknown;
  last?: number;
  createdAt?: string;
}

export const spec = (name: string): CollectionSpec => ({
  name,
  indexes: { name: 'text', size: 'number', on: 'boolean', tags: 'texts', 'deep.key': 'text' },
  unique: ['serial'],
});

/** Lists of these are read by their names, the newest first; their sizes are scanned. */
export const listed = (store: Store): Promise<Collection<Thing>> =>
  store.collection<Thing>({
    name: freshName(),
    indexes: { name: 'text', createdAt: 'text' },
    newest: ['name'],
    scanned: { size: 'number' },
    whole: ['last'],
  });

export const thing = (id: string, fields: Partial<Thing> & { serial?: string | null } = {}): Thing => ({
  id,
  version: 1,
  ...fields,
});

export const ids = (documents: readonly Document[]) => documents.map(({ id }) => id);

let names = 0;
/** Returns a new collection name for each test. */
const freshName = () => `things${String.fromCharCode(...[...String(names++)].map((d) => 97 + Number(d)))}`;

export const fresh = (store: Store): Promise<Collection<Thing>> => store.collection<Thing>(spec(freshName()));

export const whole = (store: Store): Promise<Collection<Thing>> =>
  store.collection<Thing>({ name: freshName(), indexes: { name: 'text' }, whole: ['last'] });

export const partly = (store: Store): Promise<Collection<Thing>> =>
  store.collection<Thing>({ name: freshName(), indexes: { name: 'text' }, whole: ['last'], apart: 'free' });

export async function filled(store: Store, ...things: Thing[]): Promise<Collection<Thing>> {
  const collection = await fresh(store);
  await collection.insertMissing(things);
  return collection;
}

/** Declares one test: `test` itself, or a function that skips it where there is no server. */
export type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;
