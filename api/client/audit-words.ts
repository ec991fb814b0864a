/** An entry of the audit log in words, and the record that it has changed. */
import type { GetAnswer } from './requests.ts';

export type AuditLine = Pick<
  GetAnswer<'/audit'>[number],
  'method' | 'path' | 'command' | 'target' | 'status' | 'user' | 'at'
>;

/** By method and path, without the version of the API; the first that matches. */
const doings: readonly [RegExp, string][] = [
  [/^DELETE login/, 'log-out'],
  [/^\w+ login/, 'log-in'],
  [/^POST (?:nodes|tags\/[^/]+\/nodes)\/workflows$/, 'launch on several nodes'],
  [/^POST (?:nodes\/[^/]+\/)?workflows$/, 'launch'],
  [/^POST workflows\/actions$/, 'command to several workflows'],
  [/^PUT workflows\/actions\/./, 'command to several workflows ended'],
  [/^POST workflows\/[^/]+\/retry$/, 'retry'],
  [/^POST workflows\/[^/]+\/notification$/, 'notification'],
  [/^PUT (?:nodes\/[^/]+\/)?workflows\/.*action$/, 'cancel, pause, resume or continue'],
  [/^DELETE nodes\/[^/]+\/workflows\/active$/, 'cancel'],
  [/^PUT failures\/./, 'action on a failure'],
  [/^PUT batches\/./, 'cancel of a batch'],
  [/^PUT rollouts\/./, 'pause, advance, retry or cancel of a rollout'],
  [/^PUT tickets\/./, 'decision on a ticket'],
  [/^PUT schedules\/.*action$/, 'pause or resume of a schedule'],
  [/^POST nodes\/[^/]+\/holds$/, 'hold'],
  [/^PATCH nodes\/[^/]+\/holds\//, 'change of a hold'],
  [/^DELETE nodes\/[^/]+\/holds\//, 'end of a hold'],
  [/^POST nodes\/[^/]+\/console\/input/, 'typing at the serial console'],
  [/^\w+ nodes\/[^/]+\/console/, 'serial console on or off'],
  [/^PUT nodes\/[^/]+\/health\//, 'report on health'],
  [/^DELETE bmcs\//, 'closed circuit of a BMC'],
  [/^POST hooks\/[^/]+\/test$/, 'test of a hook'],
  [/^POST hooks\/.*redeliver$/, 'repeated delivery of a hook'],
  [/^PUT workflows\/graphs.*action$/, 'version of a graph'],
];

/** The same for records that a verb creates, changes or removes. */
const parts: readonly [RegExp, string][] = [
  [/^nodes\/[^/]+\/tags/, 'tags'],
  [/^nodes\/[^/]+\/relations/, 'relations'],
  [/^(?:nodes\/[^/]+\/)?(?:obms?|ibms?)/, 'access to a BMC or a device'],
  [/^skus\/(?:[^/]+\/)?pack$/, 'pack of a SKU'],
  [/^workflows\/graphs/, 'graph'],
  [/^workflows\/tasks/, 'task'],
  [/^users\/[^/]+\/tokens/, 'token'],
];

/** The same for actions whose command was recorded: `retry of several workflows`. */
const commanded: readonly [RegExp, string][] = [
  [/^POST workflows\/actions$/, 'several workflows'],
  [/^PUT workflows\/[^/]+\/action$/, 'a workflow'],
  [/^PUT failures\/./, 'a failure'],
  [/^PUT rollouts\/./, 'a rollout'],
];
const commandWords: Readonly<Record<string, string>> = { address: 'note on', reopen: 'reopening of' };

const verbs: Readonly<Record<string, string>> = {
  POST: 'new',
  PUT: 'change of',
  PATCH: 'change of',
  DELETE: 'removal of',
};
const acronyms: Readonly<Record<string, string>> = { skus: 'SKU', bmcs: 'BMC' };

/** Without the prefix of the API and the query. */
const shortPath = (path: string): string =>
  path
    .replace(/^\/(?:api\/[^/]+\/)?/, '')
    .replace(/\?.*$/s, '')
    .replace(/\/$/, '');

export function auditWords({ method, path, command }: Pick<AuditLine, 'method' | 'path' | 'command'>): string {
  const short = shortPath(path);
  const wordsIn = (list: readonly [RegExp, string][], text: string) =>
    list.find(([pattern]) => pattern.test(text))?.[1];
  const subject = command === undefined ? undefined : wordsIn(commanded, `${method} ${short}`);
  if (command !== undefined && subject !== undefined)
    return `${commandWords[command] ?? `${command.replace('-', ' ')} of`} ${subject}`;
  const words = wordsIn(doings, `${method} ${short}`);
  if (words !== undefined) return words;
  const [collection = ''] = short.split('/');
  const part = wordsIn(parts, short);
  const noun = part ?? acronyms[collection] ?? collection.replace(/ies$/, 'y').replace(/s$/, '');
  return method === 'GET' || method === 'HEAD'
    ? `look at ${short || 'the console'}`
    : `${verbs[method] ?? method} ${noun}`;
}

export const isLogin = ({ path }: Pick<AuditLine, 'path'>): boolean => /^login\b/.test(shortPath(path));

export interface AuditTarget {
  kind: string;
  id: string;
}

/** @returns undefined: the entry is about no record */
export function auditTarget({
  method,
  path,
  target,
}: Pick<AuditLine, 'method' | 'path' | 'target'>): AuditTarget | undefined {
  const [, kind = '', id = ''] = /^([^/]+)\/(.+)$/s.exec(target ?? '') ?? [];
  if (id === '') return undefined;
  return auditWords({ method, path }) === 'launch on several nodes' ? { kind: 'batches', id } : { kind, id };
}
