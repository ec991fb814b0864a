/** The resources of a real BMC as they were recorded: documents by their paths, and the identity that each machine replaces. */
import { ObmError } from '../../../define/obm.ts';
import type { JsonObject } from '../../../vocabulary/json.ts';
import { isObject, listIn, property } from '../../../vocabulary/json.ts';
import { MIB } from '../../../vocabulary/units.ts';

export interface RecordedTree {
  /** Without a slash at their ends. */
  documents: ReadonlyMap<string, JsonObject>;
}

export const RECORDED_ROOT = '/redfish/v1';

/** Fields that are null in a recording. */
const secretFields =
  /password|passphrase|secret|token|privatekey|community|certificatestring|license(key|string)|^(authenticationkey|encryptionkey|key|hashkey)$/i;

/** Resources that are not recorded: they are accounts, or they pass. */
const leftOut =
  /\/(Accounts|Sessions|Subscriptions|Certificates|Keys|Tasks|Jobs|TaskMonitors)\/[^/]+$|\/Entries(\/|$)|\/JsonSchemas(\/|$)/i;

/** Some file systems permit no longer path of a file. */
const LONGEST_PATH = 1_000;

/** An annotation of mockups that no service has. */
const COPYRIGHT = '@Redfish.Copyright';

const DOCUMENT_LIMIT = 2_000;
/** Characters of all of them; the trees of real BMCs have a tenth. */
const TREE_LIMIT = 64 * MIB;

export const pathOfResource = (path: string): string => path.split('#')[0]?.replace(/\/+$/, '') ?? '';

/** Whether it may be read and stored: below the root, and of plain segments. */
export const isRecordable = (path: string): boolean =>
  path.length <= LONGEST_PATH &&
  (path === RECORDED_ROOT || path.startsWith(`${RECORDED_ROOT}/`)) &&
  path
    .split('/')
    .slice(1)
    .every((segment) => /^[\w.~()+,:=@ %-]{1,200}$/.test(segment) && !/^(\.+|index\.json)$/.test(segment)) &&
  !leftOut.test(path);

/**
 * Reads the tree of a BMC from its root, one resource after the other: BMCs serve few requests at a time.
 * @param read undefined: the BMC does not give the resource @throws ObmError if the tree is too large
 */
export async function recordTree(read: (path: string) => Promise<unknown>): Promise<RecordedTree> {
  const documents = new Map<string, JsonObject>();
  const paths = new Set([RECORDED_ROOT]);
  let size = 0;
  for (const path of paths) {
    const document = await read(path === RECORDED_ROOT ? `${path}/` : path);
    if (!isObject(document)) continue;
    size += JSON.stringify(document).length;
    if (size > TREE_LIMIT)
      throw new ObmError('OBM_FAILED', `the resources of the BMC have more than ${TREE_LIMIT} characters`);
    documents.set(path, withoutSecrets(document));
    for (const link of linksIn(document)) {
      const next = pathOfResource(link);
      if (paths.size < DOCUMENT_LIMIT && isRecordable(next)) paths.add(next);
    }
  }
  return { documents };
}

function* linksIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* linksIn(each);
  if (!isObject(value)) return;
  for (const [key, held] of Object.entries(value)) {
    const isLink = key === '@odata.id' || key === 'Uri' || key === '@Redfish.ActionInfo';
    if (isLink && typeof held === 'string') yield held;
    else yield* linksIn(held);
  }
}

/** Passwords, keys and tokens are null, and collections have only the members that are recorded. */
export function withoutSecrets(document: JsonObject): JsonObject {
  const cleaned = cleanedValue(document) as JsonObject;
  const { Members: members } = cleaned;
  if (!Array.isArray(members)) return cleaned;
  const remaining = members.filter((member) =>
    isRecordable(pathOfResource(String(property(member, '@odata.id') ?? ''))),
  );
  return { ...cleaned, Members: remaining, 'Members@odata.count': remaining.length };
}

function cleanedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleanedValue);
  if (!isObject(value)) return value;
  const parts = Object.entries(value).filter(([key]) => key !== COPYRIGHT);
  const entries = parts.map(([key, held]) => {
    const isSecret = typeof held === 'string' && !key.includes('@') && secretFields.test(key);
    return [key, isSecret ? null : cleanedValue(held)] as const;
  });
  return Object.fromEntries(entries);
}

/** The members of a recorded collection that are recorded. */
export function recordedMembers({ documents }: RecordedTree, collection: string | undefined): [string, JsonObject][] {
  if (collection === undefined) return [];
  return listIn(documents.get(pathOfResource(collection))?.Members).flatMap((member) => {
    const path = pathOfResource(String(property(member, '@odata.id') ?? ''));
    const document = documents.get(path);
    return document === undefined ? [] : [[path, document] as [string, JsonObject]];
  });
}
