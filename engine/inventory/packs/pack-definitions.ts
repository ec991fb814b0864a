/**
 * Graphs and tasks of packs, shared by all daemons: one document per installed pack, written before its SKU refers to
 * the pack, so that the single write of the SKU activates them all.
 */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { bundle } from '../../library/bundling/bundle.ts';
import { nameFor } from '../../library/bundling/path-name.ts';
import { isDefinitionFile } from '../../library/bundling/watch.ts';
import { namedMachine } from '../../library/forms/machine-json.ts';
import { Rejection } from '../../library/options/rejection.ts';
import { WEIGHTS_LIMIT, weighDefinition } from '../../library/options/schema-limits.ts';
import { checkDepth } from '../../library/options/templates.ts';
import { type Definition, namedFor } from '../../library/versions/sku-definitions.ts';
import type { CollectionSpec, Document } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { Index, UnpackedFile } from '../files/served-folder.ts';
import type { Roots } from '../skus/stored-sku.ts';
import { pathBelow } from './pack-config.ts';
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

interface DefinitionFile {
  what: Definition['what'];
  /** Name in the archive. */
  name: string;
  /** The same below its root. */
  path: string;
  stored: UnpackedFile;
}

/**
 * @param allowsCode whether definitions may be code
 * @returns the tasks, then the graphs; a file that cannot be read is a definition with a rejection, so that the check of the
 *   pack reports all faults of all files
 * @throws NodewrightError INVALID for a pack that cannot be read further
 */
export async function readDefinitions(
  { folder, files, roots, sku }: PackToRead,
  allowsCode: boolean,
): Promise<Definition[]> {
  const definitionFiles = [...foundIn(files, roots.tasks, 'task'), ...foundIn(files, roots.workflows, 'graph')];
  const code = definitionFiles.filter(({ name }) => CODE.test(name));
  if (code[0] !== undefined && !allowsCode) {
    throw packRejection(`${code[0].name}; expected the list-of-tasks JSON only, since code would run as the daemon`);
  }
  if (definitionFiles.length > DEFINITIONS)
    throw packRejection(`more than ${DEFINITIONS} graphs and tasks; expected fewer`);
  const size = definitionFiles.reduce((sum, { stored }) => sum + stored.size, 0);
  if (size > DEFINITIONS_SIZE)
    throw packRejection(`graphs and tasks of more than ${DEFINITIONS_SIZE} bytes; expected less`);
  const definitions: Definition[] = [];
  let weight = 0;
  const at = code.length > 0 ? await spread(folder, definitionFiles) : '';
  for (const one of definitionFiles) {
    const { what, name, stored } = one;
    if (CODE.test(name) && !isDefinitionFile(name)) continue;
    try {
      if (CODE.test(name)) {
        definitions.push({ ...(await bundledDefinition(join(at, name), one, sku)), file: name });
        continue;
      }
      const json = parseDefinition(one, await readFile(join(folder, String(stored.number)), 'utf8'));
      weight += weighDefinition(json);
      definitions.push({ ...namedFor(sku, what, json), file: name });
    } catch (error) {
      definitions.push({ what, name, sku, file: name, rejection: rejectionOf(error, at) });
    }
    if (weight > WEIGHTS_LIMIT)
      throw packRejection(`schemas with more than ${WEIGHTS_LIMIT} objects in all; expected fewer`);
  }
  const long = JSON.stringify(definitions).length > 2 * DEFINITIONS_SIZE;
  if (long) throw packRejection('code that is too long with its imports; import less');
  return definitions;
}

/** Writes the files under their names, since code imports its neighbours. The names are validated by now. */
async function spread(folder: string, definitionFiles: readonly DefinitionFile[]): Promise<string> {
  const at = join(folder, 'code');
  try {
    for (const { name, stored } of definitionFiles) {
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
async function bundledDefinition(file: string, { what, name, path }: DefinitionFile, sku: string): Promise<Definition> {
  const text = `${(await bundle(file)).text}\n// ${sku}\n`;
  const byPath = what === 'graph' ? nameFor(path) : undefined;
  return { what, name, sku, text, ...(byPath !== undefined && { byPath }) };
}

/** Ignores hidden files, which some tools add, and Markdown pages. */
const isIgnored = (path: string): boolean => path.split('/').some((part) => part.startsWith('.')) || /\.md$/.test(path);

function foundIn(files: Index, root: string | null, what: Definition['what']): DefinitionFile[] {
  if (root === null) return [];
  return [...files].flatMap(([name, stored]) => {
    const path = pathBelow(root, name);
    if (path === undefined || isIgnored(path)) return [];
    if (extname(path) === '.json' || CODE.test(path)) return [{ what, name, path, stored }];
    throw packRejection(`${name} among its graphs and tasks; expected definition files only`);
  });
}

function parseDefinition({ what, path }: DefinitionFile, text: string): unknown {
  const json: unknown = JSON.parse(text);
  checkDepth(json);
  return what === 'graph' ? namedMachine(json, nameFor(path)) : json;
}

/** @param at the folder of the pack's code on this machine, which is left out */
function rejectionOf(error: unknown, at: string): NonNullable<Definition['rejection']> {
  const inPack = (text: string) => (at === '' ? text : text.replaceAll(`${at}/`, ''));
  if (error instanceof SyntaxError) return { found: `text that is not JSON (${error.message})`, expected: 'JSON' };
  if (!(error instanceof Rejection)) return { found: inPack(messageOf(error)), expected: 'a definition' };
  const { found, expected, violations } = error;
  return { found: inPack(found), expected, ...(violations !== undefined && { violations }) };
}
