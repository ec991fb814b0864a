/** The conditions of a request that writes or deletes a file. */
import type { FileCondition } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { etagOf, hasTag } from './content.ts';

/**
 * Without these headers any stored file satisfies the condition. With `If-Match` it must be one of these versions, so that
 * two users do not overwrite each other's changes; with `If-None-Match: *` there must be none.
 * @param header returns a request header by name
 */
export function writeCondition(header: (name: string) => string): FileCondition {
  const [demanded, excluded] = [header('if-match'), header('if-none-match')];
  return (stored) => {
    const tag = stored && etagOf(stored.sha256);
    if (demanded !== '' && (tag === undefined || !hasTag(demanded, tag)))
      throw failedCondition('the stored file is not the version that If-Match names; read it again, then decide');
    if (excluded !== '' && tag !== undefined && hasTag(excluded, tag))
      throw failedCondition('a file is stored that If-None-Match excludes; read it, then decide');
  };
}

const failedCondition = (message: string) => new NodewrightError('PRECONDITION_FAILED', message);
