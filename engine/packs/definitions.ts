/**
 * Graphs and tasks of packs, as all daemons have them: one document for each pack that was installed, written before
 * its SKU refers to the pack, so that the SKU's one write brings them all.
 */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { NodewrightError } from '../define/errors.ts';
import type { Index, Stored } from '../files/served.ts';
import { type Definition, namedFor } from '../library/packed.ts';
import { Refusal } from '../library/refusal.ts';
import { checkDepth } from '../library/templates.ts';
import type { CollectionSpec, Document } from '../store/port.ts';
import { pathBelow, type Roots } from './config.ts';
import { DEFINITIONS, DEFINITIONS_SIZE } from './limits.ts';
import { refusal } from './unpack.ts';

export interface PackDefinitions extends Document {
  /** JSON of the definitions. */
  text: string;
}

/** By the id of the pack's content. */
export const packDefinitionSpec: CollectionSpec = { name: 'packdefinitions', indexes: {} };

interface Found {
  what: Definition['what'];
  /** Of the archive. */
  name: string;
  stored: Stored;
}

/**
 * @param folder where the pack is unpacked
 * @param sku the id of the SKU whose pack it is
 * @returns the tasks, then the graphs
 * @throws NodewrightError INVALID, saying which file and why
 */
export async function readDefinitions(folder: string, files: Index, roots: Roots, sku: string): Promise<Definition[]> {
  const found = [...foundIn(files, roots.tasks, 'task'), ...foundIn(files, roots.workflows, 'graph')];
  if (found.length > DEFINITIONS) throw refusal(`more than ${DEFINITIONS} graphs and tasks; expected fewer`);
  const size = found.reduce((sum, { stored }) => sum + stored.size, 0);
  if (size > DEFINITIONS_SIZE) throw refusal(`graphs and tasks of more than ${DEFINITIONS_SIZE} bytes; expected less`);
  const definitions: Definition[] = [];
  for (const { what, name, stored } of found) {
    const json = parsed(name, await readFile(join(folder, String(stored.number)), 'utf8'));
    definitions.push(within(name, () => namedFor(sku, what, json)));
  }
  return definitions;
}

/** Hidden files, as some tools add them, and READMEs are nothing to run. */
const isIgnored = (path: string): boolean => path.split('/').some((part) => part.startsWith('.')) || /\.md$/.test(path);

function foundIn(files: Index, root: string | null, what: Definition['what']): Found[] {
  if (root === null) return [];
  return [...files].flatMap(([name, stored]) => {
    const path = pathBelow(root, name);
    if (path === undefined || isIgnored(path)) return [];
    if (extname(path) === '.json') return [{ what, name, stored }];
    throw refusal(
      `${name} among its graphs and tasks; expected the list-of-tasks JSON only, since code would run as the daemon`,
    );
  });
}

function parsed(name: string, text: string): unknown {
  return within(name, () => {
    const json: unknown = JSON.parse(text);
    checkDepth(json);
    return json;
  });
}

/** What is wrong is told with the file that it is in. */
function within<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { message } = error as Error;
    const faults = error instanceof Refusal && error.faults !== undefined ? { faults: error.faults } : {};
    throw new NodewrightError('INVALID', `The pack's ${name}: ${message}`, { ...faults, cause: error });
  }
}
