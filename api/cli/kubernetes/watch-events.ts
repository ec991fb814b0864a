/** Objects that a watch of Kubernetes sends, each on a line of its own. */
import { isObject, type JsonObject } from '../../../engine/vocabulary/json.ts';
import { MIB } from '../../../engine/vocabulary/units.ts';
import { unlikeKubernetes } from './kubernetes-error.ts';

/** Characters; etcd stores no object of 2 MiB. */
const LONGEST_LINE = 8 * MIB;

/** @throws KubernetesError for a line that is too long, or is no object */
export async function* watchEvents(bytes: AsyncIterable<Uint8Array>, host: string): AsyncGenerator<JsonObject> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of bytes) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield objectIn(line, host);
    if (rest.length > LONGEST_LINE) throw unlikeKubernetes(host, `a line of more than ${LONGEST_LINE} characters`);
  }
}

function objectIn(line: string, host: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // Refused below, as any other value.
  }
  throw unlikeKubernetes(host, 'a watch without JSON');
}
