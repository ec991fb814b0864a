/** The difference of two versions of a graph, for the command line and the console. */
import { createTwoFilesPatch } from 'diff';
import type { GetAnswer, Requests } from './requests.ts';

export type GraphVersionRecord = GetAnswer<'/workflows/graphs/:name/versions'>[number];

export interface GraphDifference {
  old: string;
  new: string;
  /** A unified diff. */
  patch: string;
  /** Only code differs, which a definition does not show. */
  isSameText: boolean;
}

/** The hashes of the current version and of the one before it, as far as there are such. @param versions newest first */
export function newestVersions(versions: readonly GraphVersionRecord[]): {
  old: string | undefined;
  new: string | undefined;
} {
  const current = versions.findIndex(({ isCurrent }) => isCurrent);
  return { old: versions[current + 1]?.hash, new: versions[current]?.hash };
}

/** @param versions hashes */
export async function graphDifference(
  client: Requests,
  name: string,
  versions: { old: string; new: string },
): Promise<GraphDifference> {
  const [oldText, newText] = [await textOf(client, name, versions.old), await textOf(client, name, versions.new)];
  const patch = createTwoFilesPatch(versions.old, versions.new, oldText, newText);
  return { ...versions, patch, isSameText: oldText === newText };
}

/** A graph in a file has no list of tasks, but a machine. */
async function textOf(client: Requests, name: string, hash: string): Promise<string> {
  const parts = { params: { name }, query: { hash } };
  const { body: definition } = await client.get('/workflows/graphs/:name', parts);
  const { body: machine } = await client.get('/workflows/graphs/:name/machine', parts);
  return `${JSON.stringify({ definition, machine }, null, 2)}\n`;
}
