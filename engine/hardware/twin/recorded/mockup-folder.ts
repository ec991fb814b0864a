/** Folders of recorded trees in the layout of DMTF's mockups (DSP2043): an `index.json` for each resource. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../../vocabulary/json.ts';
import { isRecordable, RECORDED_ROOT, type RecordedTree, withoutSecrets } from '../machine/recorded-tree.ts';

const FILE = 'index.json';

/** @returns the number of files @throws Error of the file system */
export async function writeMockup(folder: string, { documents }: RecordedTree): Promise<number> {
  for (const [path, document] of documents) {
    const place = join(folder, path);
    await mkdir(place, { recursive: true, mode: 0o700 });
    await writeFile(join(place, FILE), `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600 });
  }
  return documents.size;
}

/** The folder has `redfish/v1`, or it is that folder. @throws Error with the file that is not JSON, or if there is no root */
export function readMockup(folder: string): RecordedTree {
  const below = join(folder, RECORDED_ROOT);
  const start = existsSync(join(below, FILE)) ? below : folder;
  if (!existsSync(join(start, FILE))) throw new Error(`${folder} has no ${FILE} of a service root; expected a mockup`);
  const documents = new Map<string, JsonObject>();
  readBelow(start, RECORDED_ROOT, documents);
  return { documents };
}

function readBelow(place: string, path: string, documents: Map<string, JsonObject>): void {
  const file = join(place, FILE);
  if (existsSync(file)) documents.set(path, withoutSecrets(documentIn(file)));
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const next = `${path}/${entry.name}`;
    if (entry.isDirectory() && isRecordable(next)) readBelow(join(place, entry.name), next, documents);
  }
}

function documentIn(file: string): JsonObject {
  try {
    const document: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isObject(document)) return document;
  } catch {
    // The error below names the file.
  }
  throw new Error(`${file} is no JSON object; expected a resource of a mockup`);
}
