/** Names the record that a request is about, for the log and the audit log: `nodes/<id>`, `users/<name>`, `config`. */
import { property } from '../../engine/vocabulary/json.ts';
import type { Route, SentReply } from './route.ts';

/** Fields that name a record, in this order. */
const names = ['id', 'username', 'role', 'name'];

/** Returns the last record that the path names. */
export function targetOf({ path }: Pick<Route, 'path'>, params: Record<string, string>): string {
  const parts = path.split('/').filter((part) => part !== '');
  const at = parts.findLastIndex((part) => part.startsWith(':'));
  if (at <= 0) return parts.join('/');
  return `${parts[at - 1]}/${params[(parts[at] as string).slice(1)] ?? ''}`;
}

/** Returns the record that the request has created, if any. */
export function createdBy(
  { path, method }: Pick<Route, 'path' | 'method'>,
  { status, body }: SentReply,
): string | undefined {
  if (method !== 'POST' || status !== 201) return undefined;
  const name = names.map((field) => property(body, field)).find((value) => typeof value === 'string');
  const place = path.split('/').findLast((part) => part !== '' && !part.startsWith(':'));
  return name === undefined ? undefined : `${place}/${name}`;
}
