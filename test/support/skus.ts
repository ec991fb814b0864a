/** The SKUs of the fixtures, and catalogs of nodes that they are meant for. */
import { readdirSync, readFileSync } from 'node:fs';
import type { NewSku } from '../../engine/api-port/index.ts';

const root = new URL('../../fixtures/', import.meta.url);

const read = <T>(folder: string): [name: string, T][] =>
  readdirSync(new URL(folder, root)).map((name) => [
    name.replace('.json', ''),
    JSON.parse(readFileSync(new URL(`${folder}${name}`, root), 'utf8')) as T,
  ]);

export const fieldSkus = new Map(read<NewSku>('skus/'));

/** By the name of its SKU: by source, what was found on such a node. */
export const fieldCatalogs = new Map(read<Record<string, Record<string, unknown>>>('catalogs/'));
