/**
 * Graphs and tasks of packs, shared by all daemons: one document per installed pack, written before its SKU refers to
 * the pack, so that the single write of the SKU activates them all.
 */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { NodewrightError } from '../define/errors.ts';
import { messageOf } from '../define/thrown.ts';
import type { Index, UnpackedFile } from '../files/served.ts';
import { bundle } from '../library/bundle.ts';
import { Rejection } from '../library/rejection.ts';
import { WEIGHTS_LIMIT, weighDefinition } from '../library/schema-limits.ts';
import { type Definition, namedFor } from '../library/sku-definitions.ts';
import { checkDepth } from '../library/templates.ts';
import { isDefinitionFile } from '../library/watch.ts';
import type { CollectionSpec, Document } from '../store/port.ts';
import { pathBelow, type Roots } from './pack-config.ts';
import { DEFINITIONS, DEFINITIONS_SIZE } from './pack-limits.ts';
import { packRejection } from './unpack.ts';

export interface PackDefinitions extends Document {
  /** JSON of the definitions. */
  text: string;
}

/** Keyed by the id of the pack's content. */
export const packDefinitionSpec: CollectionSpec = { name: 'packdefinitions', indexes: {} };

/** An unpacked pack. */
export interface PackToRead {
  /** Folder of its files. */
  folder: string;
  files: Index;
  roots: Roots;
  /** The id of the pack's SKU. */
  sku: string;
}

const CODE = /\.m?[jt]s$/;

interface Found {
  what: Definition['what'];
  /** Name in the archive. */
  name: string;
  stored: UnpackedFile;
}

/**
 * @param allowsCode whether definitions may be code
 * @returns the tasks, then the graphs
 * @throws NodewrightError INVALID, naming the file and the reason
 */
export async function readDefinitions(
  { folder, files, roots, sku }: PackToRead,
  allowsCode: boolean,
): Promise<Definition[]> {
  const found = [...foundIn(files, roots.tasks, 'task'), ...foundIn(files, roots.workflows, 'graph')];
  const code = found.filter(({ name }) => CODE.test(name));
  if (code[0] !== undefined && !allowsCode) {
    throw packRejection(`${code[0].name}; expected the list-of-tasks JSON only, since code would run as the daemon`);
  }
  if (found.length > DEFINITIONS) throw packRejection(`more than ${DEFINITIONS} graphs and tasks; expected fewer`);
  const size = found.reduce((sum, { stored }) => sum + stored.size, 0);
  if (size > DEFINITIONS_SIZE)
    throw packRejection(`graphs and tasks of more than ${DEFINITIONS_SIZE} bytes; expected less`);
  const definitions: Definition[] = [];
  let weight = 0;
  const at = code.length > 0 ? await spread(folder, found) : '';
  for (const { what, name, stored } of found) {
    if (CODE.test(name)) {
      if (isDefinitionFile(name)) definitions.push({ what, name, sku, text: await bundled(join(at, name), name, sku) });
      continue;
    }
    const json = parsed(name, await readFile(join(folder, String(stored.number)), 'utf8'));
    weight += within(name, () => weighDefinition(json));
    if (weight > WEIGHTS_LIMIT)
      throw packRejection(`schemas with more than ${WEIGHTS_LIMIT} objects in all; expected fewer`);
    definitions.push(within(name, () => namedFor(sku, what, json)));
  }
  const long = JSON.stringify(definitions).length > 2 * DEFINITIONS_SIZE;
  if (long) throw packRejection('code that is too long with its imports; import less');
  return definitions;
}

/** Writes the files under their names, since code imports its neighbours. The names are validated by now. */
async function spread(folder: string, found: readonly Found[]): Promise<string> {
  const at = join(folder, 'code');
  try {
    for (const { name, stored } of found) {
      await mkdir(join(at, dirname(name)), { recursive: true });
      await copyFile(join(folder, String(stored.number)), join(at, name));
    }
  } catch (cause) {
    throw new NodewrightError('INVALID', 'The pack has code under names that conflict as files; rename them', {
      cause,
    });
  }
  return at;
}

/** Appends the SKU: the hash of the text names a version, which is registered for one SKU only. */
async function bundled(file: string, name: string, sku: string): Promise<string> {
  try {
    return `${(await bundle(file)).text}\n// ${sku}\n`;
  } catch (error) {
    return within(name, () => {
      throw error;
    });
  }
}

/** Ignores hidden files, which some tools add, and Markdown pages. */
const isIgnored = (path: string): boolean => path.split('/').some((part) => part.startsWith('.')) || /\.md$/.test(path);

function foundIn(files: Index, root: string | null, what: Definition['what']): Found[] {
  if (root === null) return [];
  return [...files].flatMap(([name, stored]) => {
    const path = pathBelow(root, name);
    if (path === undefined || isIgnored(path)) return [];
    if (extname(path) === '.json' || CODE.test(path)) return [{ what, name, stored }];
    throw packRejection(`${name} among its graphs and tasks; expected definition files only`);
  });
}

function parsed(name: string, text: string): unknown {
  return within(name, () => {
    const json: unknown = JSON.parse(text);
    checkDepth(json);
    return json;
  });
}

/** Adds the name of the file to errors. */
function within<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const message = messageOf(error);
    const violations =
      error instanceof Rejection && error.violations !== undefined ? { violations: error.violations } : {};
    throw new NodewrightError('INVALID', `The pack's ${name}: ${message}`, { ...violations, cause: error });
  }
}
