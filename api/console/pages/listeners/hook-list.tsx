/** The web hooks. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { type HookHealth, readHookHealth } from '../../../client/hook-health.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago } from '../../parts/time.tsx';
import { DeliverAll } from './deliver-all.tsx';
import { filterText } from './hook-filters.ts';
import { HookForm } from './hook-form.tsx';
import type { ShownHook } from './shown-hook.ts';

const MAX_HOOKS = 500;
/** Hooks whose deliveries are looked at. */
const LOOKED_AT = 50;

interface HookRow {
  hook: ShownHook;
  /** undefined: it was not looked at. */
  health: HookHealth | undefined;
}

async function readHooks(): Promise<{ rows: HookRow[]; total: number }> {
  const { body, total = body.length } = await client.get('/hooks', { query: { $top: MAX_HOOKS, sort: 'createdAt' } });
  const health = await Promise.all(body.slice(0, LOOKED_AT).map(({ id }) => readHookHealth(client, id)));
  return { rows: body.map((hook, place) => ({ hook, health: health[place] })), total };
}

export function HookList() {
  const live = useLive('hooks', readHooks, () => true);
  /** null: a new one. */
  const edited = useSignal<ShownHook | null | undefined>(undefined);
  const close = () => {
    edited.value = undefined;
    live.reload();
  };
  return (
    <>
      <NeedsRight group="monitoring">
        <p class="actions">
          <button
            type="button"
            class="main"
            onClick={() => {
              edited.value = null;
            }}
          >
            New hook
          </button>
        </p>
      </NeedsRight>
      <LiveContent live={live}>
        {({ rows, total }) => (
          <>
            {total > rows.length && (
              <p class="quiet">
                The first {rows.length} of {total} hooks
              </p>
            )}
            <HookTable rows={rows} edit={(hook) => (edited.value = hook)} changed={live.reload} />
          </>
        )}
      </LiveContent>
      {edited.value !== undefined && (
        <Dialog title={edited.value === null ? 'New hook' : 'Change the hook'} close={close}>
          <HookForm hook={edited.value} done={close} />
        </Dialog>
      )}
    </>
  );
}

interface HookTableProps {
  rows: readonly HookRow[];
  edit: (hook: ShownHook) => void;
  changed: () => void;
}

function HookTable({ rows, edit, changed }: HookTableProps) {
  return (
    <DataTable
      label="Hooks"
      rows={rows}
      keyOf={({ hook: { id } }) => id}
      empty="No hook yet: events are not posted anywhere. A hook tells Slack, Teams, PagerDuty, a mail relay or a program of yours what happens."
      columns={[
        { title: 'name', cell: ({ hook }) => <ShortText text={hook.name ?? hook.url} /> },
        { title: 'state', cell: ({ health }) => health && <HookState health={health} /> },
        { title: 'waiting', isNumber: true, cell: ({ health }) => health && number.format(health.waiting) },
        { title: 'last error', cell: ({ health }) => <ShortText text={health?.error ?? ''} most={120} /> },
        { title: 'URL', cell: ({ hook }) => <ShortText text={hook.url} /> },
        { title: 'events', cell: ({ hook }) => <ShortText text={filterText(hook.filters)} most={120} /> },
        { title: 'actions', cell: (row) => <HookActions row={row} edit={edit} changed={changed} /> },
      ]}
    />
  );
}

const number = new Intl.NumberFormat();

function HookState({ health: { state, at } }: { health: HookHealth }) {
  if (state === 'unknown') return <StatePill of="unknown" text="no delivery yet" />;
  return (
    <>
      <StatePill of={state} text={state === 'ok' ? 'delivers' : 'fails'} />
      {at !== null && (
        <span class="quiet">
          {state === 'critical' ? ', oldest ' : ', last '}
          <Ago at={at} />
        </span>
      )}
    </>
  );
}

function HookActions({ row: { hook, health }, edit, changed }: { row: HookRow } & Omit<HookTableProps, 'rows'>) {
  const { route } = useLocation();
  const { id } = hook;
  const named = hook.name ?? hook.url;
  const deliveries = `/ui/hooks?${new URLSearchParams({ tab: 'deliveries', hook: id })}`;
  const test = () => client.post('/hooks/:id/test', { params: { id } }).then(() => route(deliveries));
  return (
    <span class="actions of-row">
      <a href={deliveries} aria-label={`Deliveries of ${named}`}>
        deliveries
      </a>
      <NeedsRight group="monitoring">
        {health?.state === 'critical' && <DeliverAll hook={id} again={changed} />}
        <ActionButton run={test}>Test</ActionButton>
        <button type="button" aria-label={`Change ${named}`} onClick={() => edit(hook)}>
          Change
        </button>
        <RemoveButton what={`hook ${named}`} run={() => client.remove('/hooks/:id', { params: { id } }).then(changed)}>
          <p>Its deliveries are deleted too.</p>
        </RemoveButton>
      </NeedsRight>
    </span>
  );
}
