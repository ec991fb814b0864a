/** Findings in the totals of a daemon, with their remedies: for `nw doctor` and the archive for support. */
import type { Summary } from '../../engine/api-port/index.ts';
import { DAY_MS } from '../../engine/vocabulary/units.ts';

export interface Finding {
  subject: string;
  /** skipped: this user may not look. */
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  detail: string;
  /** The remedy; null: none is needed. */
  advice: string | null;
}

export type CheckResult = Omit<Finding, 'subject'>;
type TotalsCheck = (totals: Summary, timeText: (time: string) => string) => CheckResult;

export const ok = (detail: string): CheckResult => ({ state: 'ok', detail, advice: null });
export const warning = (detail: string, advice: string): CheckResult => ({ state: 'warning', detail, advice });
export const failure = (detail: string, advice: string): CheckResult => ({ state: 'failed', detail, advice });

const BACKUP_MS = 7 * DAY_MS;
const GIB = 1024 ** 3;
const MANY_EVENTS = 1_000;

const disk: TotalsCheck = ({ disk: { path, freeBytes, totalBytes } }) => {
  const detail = `${(freeBytes / GIB).toFixed(1)} of ${(totalBytes / GIB).toFixed(1)} GiB free at ${path}`;
  const free = freeBytes / totalBytes;
  if (free < 0.02) return failure(detail, 'make room: the database ends the daemon when it cannot write');
  return free < 0.1 ? warning(detail, 'make room, or shorten workflowRetentionDays') : ok(detail);
};

const broker: TotalsCheck = ({ broker: state, backlog: { events } }) => {
  const waiting = `${events} events wait`;
  if (state === 'none') return ok('none configured');
  if (state === 'down') return failure(`down; ${waiting}`, 'start RabbitMQ; no event is lost in the meantime');
  return events > MANY_EVENTS ? warning(`up; ${waiting}`, 'see whether listeners are slow') : ok(`up; ${waiting}`);
};

const backup: TotalsCheck = ({ backup: { lastAt } }, timeText) => {
  if (lastAt === null) return warning('never on the machine of the daemon', 'nw backup create FILE');
  const detail = `made ${timeText(lastAt)}`;
  return Date.now() - Date.parse(lastAt) > BACKUP_MS ? warning(detail, 'nw backup create FILE') : ok(detail);
};

const workflows: TotalsCheck = ({ workflows: { stuck, byStatus } }) => {
  const detail = `${byStatus.running ?? 0} run, ${stuck} of them stuck`;
  return stuck > 0 ? warning(detail, 'nw ps --stuck') : ok(detail);
};

const bmcs: TotalsCheck = ({ bmcs: { circuitsOpen } }) =>
  circuitsOpen > 0
    ? warning(`the circuits of ${circuitsOpen} are open, because they did not answer`, 'nw bmcs')
    : ok('no circuit is open');

type Subject = 'stores' | 'disk' | 'broker' | 'hooks' | 'backup' | 'workflows' | 'BMCs';

export const totalsChecks: Readonly<Record<Subject, TotalsCheck>> = {
  stores: ({ stores }) => (stores === 'up' ? ok('up') : failure('down', 'start MongoDB and Redis')),
  disk,
  broker,
  hooks: ({ backlog: { hooks } }) =>
    hooks > 0 ? warning(`${hooks} deliveries wait`, 'nw hooks') : ok('no delivery waits'),
  backup,
  workflows,
  BMCs: bmcs,
};

export const findingsIn = (totals: Summary): Finding[] =>
  Object.entries(totalsChecks).map(([subject, check]) => ({
    subject,
    ...check(totals, String),
  }));
