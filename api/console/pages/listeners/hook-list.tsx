/** The web hooks. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyableText } from '../../parts/copyable.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { Time } from '../../parts/time.tsx';
import { filterText, type ShownHook } from './hook-filters.ts';
import { HookForm } from './hook-form.tsx';

const MAX_HOOKS = 500;

export function HookList() {
  const live = useLive('hooks', () => client.get('/hooks', { query: { $top: MAX_HOOKS, sort: 'createdAt' } }));
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
        {({ body, total = 0 }) => (
          <>
            {total > body.length && (
              <p class="quiet">
                The first {body.length} of {total} hooks
              </p>
            )}
            <HookTable hooks={body} edit={(hook) => (edited.value = hook)} removed={live.reload} />
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
  hooks: readonly ShownHook[];
  edit: (hook: ShownHook) => void;
  removed: () => void;
}

function HookTable({ hooks, edit, removed }: HookTableProps) {
  return (
    <DataTable
      label="Hooks"
      rows={hooks}
      keyOf={({ id }) => id}
      empty="No hook: events are not posted anywhere."
      columns={[
        { title: 'name', cell: ({ name }) => <ShortText text={name ?? ''} /> },
        { title: 'url', cell: ({ url }) => <ShortText text={url} /> },
        { title: 'events', cell: ({ filters }) => <ShortText text={filterText(filters)} most={120} /> },
        { title: 'id', cell: ({ id }) => <CopyableText text={id} /> },
        { title: 'created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { title: 'actions', cell: (hook) => <HookActions hook={hook} edit={edit} removed={removed} /> },
      ]}
    />
  );
}

function HookActions({ hook, edit, removed }: { hook: ShownHook } & Omit<HookTableProps, 'hooks'>) {
  const { route } = useLocation();
  const { id } = hook;
  const named = hook.name ?? hook.url;
  const deliveries = `/ui/hooks?${new URLSearchParams({ tab: 'deliveries', hook: id })}`;
  const test = () => client.post('/hooks/:id/test', { params: { id } }).then(() => route(deliveries));
  return (
    <span class="actions">
      <a href={deliveries} aria-label={`Deliveries of ${named}`}>
        deliveries
      </a>
      <NeedsRight group="monitoring">
        <ActionButton run={test}>Test</ActionButton>
        <button type="button" aria-label={`Change ${named}`} onClick={() => edit(hook)}>
          Change
        </button>
        <RemoveButton what={`hook ${named}`} run={() => client.remove('/hooks/:id', { params: { id } }).then(removed)}>
          <p>Its deliveries are deleted too.</p>
        </RemoveButton>
      </NeedsRight>
    </span>
  );
}
