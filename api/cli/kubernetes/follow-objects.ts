/**
 * Follows the objects of a list: all of them first, then each change. After an outage it continues at the last version that it has; if that version
 * is gone (410), or the watch has an error, it lists all again, so no change is missed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, objectIn } from '../../../engine/vocabulary/json.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import type { Kubernetes } from './kubernetes-client.ts';
import { KubernetesError, statusError } from './kubernetes-error.ts';

export type FollowedObjects =
  | { kind: 'listed'; objects: readonly JsonObject[] }
  | { kind: 'changed' | 'deleted'; object: JsonObject }
  | { kind: 'away'; reason: string };

const FIRST_WATCH_PAUSE_MS = 250;
const LONGEST_WATCH_PAUSE_MS = 30_000;

/** Ends with the signal. @throws an error that a repetition cannot help, and any error of the first list */
export async function* followObjects(
  kubernetes: Kubernetes,
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<FollowedObjects> {
  let version: string | undefined;
  let hasListed = false;
  let pauseMs = FIRST_WATCH_PAUSE_MS;
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        const { items, resourceVersion } = await kubernetes.list(path, query);
        version = resourceVersion;
        hasListed = true;
        yield { kind: 'listed', objects: items };
      }
      for await (const event of kubernetes.watch(path, query, version, signal)) {
        const object = objectIn(event.object);
        if (event.type === 'ERROR') throw statusError(Number(object.code) || 500, object, kubernetes.host);
        version = versionOf(object) ?? version;
        pauseMs = FIRST_WATCH_PAUSE_MS;
        if (event.type === 'ADDED' || event.type === 'MODIFIED') yield { kind: 'changed', object };
        if (event.type === 'DELETED') yield { kind: 'deleted', object };
      }
    } catch (error) {
      if (signal.aborted) return;
      const isGone = error instanceof KubernetesError && error.code === 'KUBERNETES_GONE';
      if (!hasListed || !(isGone || isOutage(error))) throw error;
      version = isGone ? undefined : version;
      if (!isGone) yield { kind: 'away', reason: messageOf(error) };
    }
    await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, LONGEST_WATCH_PAUSE_MS);
  }
}

/** A proxy before an API that starts may answer with a page. */
export const isOutage = (error: unknown): boolean =>
  error instanceof KubernetesError && (error.isPassing || error.code === 'KUBERNETES_UNEXPECTED');

function versionOf({ metadata }: JsonObject): string | undefined {
  const { resourceVersion } = objectIn(metadata);
  return typeof resourceVersion === 'string' ? resourceVersion : undefined;
}
