/** The audit log: who changed what. Its pages are read backwards from the newest entry. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { GetAnswer } from '../../../client/requests.ts';
import { may } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { newestPosition } from '../../data/log-positions.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Field } from '../../parts/field.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { Time } from '../../parts/time.tsx';
import { AuditVerifier } from './audit-verifier.tsx';

type Entry = GetAnswer<'/audit'>[number];

/** Positions of a page. Entries of one user are scattered among those of the others. */
const pageSize = () => (may('audit') ? 100 : 1_000);

/** A page without entries of the user may have a next one: its place is known. */
async function readPositions(after: number, limit: number): Promise<readonly { seq: number }[]> {
  const { body, next } = await client.get('/audit', { query: { after, limit } });
  return body.length > 0 || next === undefined ? body : [{ seq: Number(next.after) }];
}

/** @param after undefined: the newest page @param newest the newest entry that is known; it is kept up to date */
async function readPage(after: number | undefined, newest: { seq: number }) {
  if (after === undefined) newest.seq = await newestPosition(readPositions, newest.seq);
  const start = after ?? Math.max(0, newest.seq - pageSize());
  const { body, next } = await client.get('/audit', { query: { after: start, limit: pageSize() } });
  const entries = body.filter(({ seq }) => seq <= start + pageSize()).toReversed();
  return { start, entries, hasNext: next !== undefined || entries.length < body.length };
}

export function AuditTab() {
  const after = useSignal<number | undefined>(undefined);
  const wanted = useSignal('');
  const newest = useRef({ seq: 0 });
  const live = useLive(`audit ${after.value}`, () => readPage(after.value, newest.current));
  return (
    <>
      {may('audit') ? <AuditVerifier /> : <p class="quiet">Your own actions. Those of others need more rights.</p>}
      <div class="filters">
        <Field label="Search in this page" hint="user, method, path, target or address">
          <input
            type="search"
            value={wanted.value}
            onInput={({ currentTarget }) => {
              wanted.value = currentTarget.value;
            }}
          />
        </Field>
      </div>
      <LiveContent live={live}>
        {({ start, entries, hasNext }) => (
          <>
            <p class="actions">
              <button type="button" disabled={after.value === undefined} onClick={() => (after.value = undefined)}>
                Newest
              </button>
              <button type="button" disabled={!hasNext} onClick={() => (after.value = start + pageSize())}>
                Later
              </button>
              <button
                type="button"
                disabled={start === 0}
                onClick={() => (after.value = Math.max(0, start - pageSize()))}
              >
                Earlier
              </button>
              <ActionButton run={async () => live.reload()}>Refresh</ActionButton>
            </p>
            <EntryTable entries={entries.filter((entry) => mentions(entry, wanted.value))} />
          </>
        )}
      </LiveContent>
    </>
  );
}

function mentions({ user, method, path, target, address }: Entry, text: string): boolean {
  const all = [user, method, path, target, address].join(' ').toLowerCase();
  return all.includes(text.trim().toLowerCase());
}

const Code = ({ text }: { text: string }) => (
  <code>
    <ShortText text={text} />
  </code>
);

const EntryTable = ({ entries }: { entries: readonly Entry[] }) => (
  <DataTable
    label="Entries of the audit log, newest first"
    rows={entries}
    keyOf={({ seq }) => String(seq)}
    empty="No entry."
    columns={[
      { title: 'no.', cell: ({ seq }) => seq, isNumber: true },
      { title: 'at', cell: ({ at }) => <Time at={at} /> },
      { title: 'user', cell: ({ user }) => user ?? <span class="quiet">none</span> },
      { title: 'from', cell: ({ address }) => address },
      { title: 'request', cell: ({ method, path }) => <Code text={`${method} ${path}`} /> },
      { title: 'target', cell: ({ target }) => <Code text={target ?? ''} /> },
      {
        title: 'answer',
        cell: ({ status }) => <span class={status >= 400 ? 'tone failed' : undefined}>{status}</span>,
        isNumber: true,
      },
      { title: 'acknowledged', cell: ({ acknowledged = [] }) => <ShortText text={acknowledged.join(', ')} /> },
    ]}
  />
);
