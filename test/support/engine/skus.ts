/** The SKUs of the fixtures, and catalogs of matching nodes. */
import { readdirSync, readFileSync } from 'node:fs';
import type { NewSku } from '../../../engine/api-port/index.ts';

const root = new URL('../../../fixtures/', import.meta.url);

const read = <T>(folder: string): [name: string, T][] =>
  readdirSync(new URL(folder, root)).map((name) => [
    name.replace('.json', ''),
    JSON.parse(readFileSync(new URL(`${folder}${name}`, root), 'utf8')) as T,
  ]);

export const fieldSkus = new Map(read<NewSku>('skus/'));

/** Catalogs of such a node by source, by the name of the SKU. */
export const fieldCatalogs = new Map(read<Record<string, Record<string, unknown>>>('catalogs/'));
