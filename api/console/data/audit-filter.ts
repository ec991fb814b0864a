/** Which entries of the audit log the page shows, and its address. */
import { type AuditLine, auditWords, isLogin } from '../../client/audit-words.ts';

export interface AuditFilter {
  who: string;
  what: string;
  /** ISO 8601; '': no limit. */
  from: string;
  to: string;
  withLogins: boolean;
}

export const auditFilterIn = ({ who, what, from, to, logins }: Partial<Record<string, string>>): AuditFilter => ({
  who: who ?? '',
  what: what ?? '',
  from: from ?? '',
  to: to ?? '',
  withLogins: logins === 'true',
});

/** Below /ui. */
export function auditAddress({ withLogins, ...texts }: AuditFilter): string {
  const given = Object.entries(texts).filter(([, text]) => text !== '');
  const search = { tab: 'audit', ...Object.fromEntries(given), ...(withLogins && { logins: 'true' }) };
  return `/ui/admin?${new URLSearchParams(search)}`;
}

export function passesAudit(line: AuditLine, { who, what, from, to, withLogins }: AuditFilter): boolean {
  if (!withLogins && isLogin(line)) return false;
  if (who !== '' && !(line.user ?? 'none').toLowerCase().includes(who.toLowerCase())) return false;
  if ((from !== '' && line.at < from) || (to !== '' && line.at >= to)) return false;
  const all = `${auditWords(line)} ${line.method} ${line.path} ${line.target ?? ''}`.toLowerCase();
  return what
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
