/** The audit log: who changed what. It is read backwards from the newest entry; its filters are in the address. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { newestPosition, readEarlier } from '../../../client/log-positions.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { type AuditFilter, auditAddress, auditFilterIn, passesAudit } from '../../data/audit-filter.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { fieldOfTime, timeOfField } from '../../data/shown-times.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Field } from '../../parts/field.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { AuditTable } from './audit-table.tsx';
import { AuditVerifier } from './audit-verifier.tsx';

type Entry = GetAnswer<'/audit'>[number];

/** Entries that are looked for before they are shown. */
const ENOUGH = 100;

async function readAfter(after: number, limit: number): Promise<readonly Entry[]> {
  return (await client.get('/audit', { query: { after, limit } })).body;
}

export function AuditTab() {
  const { query, route } = useLocation();
  const filter = auditFilterIn(query);
  const address = auditAddress(filter);
  /** Entries before this one are shown; undefined: the newest too. */
  const before = useSignal<number | undefined>(undefined);
  const newest = useRef(0);
  useEffect(() => {
    before.value = undefined;
  }, [address]);
  const read = async () => {
    newest.current = await newestPosition(readAfter, newest.current);
    const end = before.value ?? newest.current + 1;
    return readEarlier(readAfter, end, (entry) => passesAudit(entry, filter), ENOUGH);
  };
  const live = useLive(`${address} ${before.value}`, read);
  return (
    <>
      <AuditVerifier />
      <AuditFilterFields filter={filter} change={(changed) => route(auditAddress(changed), true)} />
      <LiveContent live={live}>
        {({ items, from, isAll }) => (
          <>
            <p class="actions">
              <button type="button" disabled={before.value === undefined} onClick={() => (before.value = undefined)}>
                Newest
              </button>
              <button type="button" disabled={isAll} onClick={() => (before.value = from)}>
                Earlier
              </button>
              <ActionButton run={async () => live.reload()}>Refresh</ActionButton>
            </p>
            <AuditTable entries={items.toReversed()} />
          </>
        )}
      </LiveContent>
    </>
  );
}

interface AuditFilterFieldsProps {
  filter: AuditFilter;
  change: (filter: AuditFilter) => void;
}

function AuditFilterFields({ filter, change }: AuditFilterFieldsProps) {
  const text = (label: string, name: 'who' | 'what', example: string) => (
    <Field label={label}>
      <input
        type="search"
        placeholder={example}
        value={filter[name]}
        onInput={({ currentTarget }) => change({ ...filter, [name]: currentTarget.value })}
      />
    </Field>
  );
  const time = (label: string, name: 'from' | 'to') => (
    <Field label={label}>
      <input
        type="datetime-local"
        value={filter[name] === '' ? '' : fieldOfTime(filter[name])}
        onChange={({ currentTarget }) => change({ ...filter, [name]: timeOfField(currentTarget.value) ?? '' })}
      />
    </Field>
  );
  return (
    <div class="filters">
      {text('Who', 'who', 'user')}
      {text('What', 'what', 'launch, hold, id')}
      {time('From', 'from')}
      {time('Before', 'to')}
      <label class="check">
        <input
          type="checkbox"
          checked={filter.withLogins}
          onChange={({ currentTarget }) => change({ ...filter, withLogins: currentTarget.checked })}
        />{' '}
        Log-ins
      </label>
    </div>
  );
}
