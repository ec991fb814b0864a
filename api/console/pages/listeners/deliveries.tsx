/** The deliveries of a hook, newest first. */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyableText } from '../../parts/copyable.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Field } from '../../parts/field.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { DeliverAll } from './deliver-all.tsx';

type Delivery = GetAnswer<'/hooks/:id/deliveries'>[number];

const DELIVERIES_PER_PAGE = 100;
const MAX_DELIVERIES = 1_000;
const states = ['', 'waiting', 'delivered', 'failed'] as const;

export function HookDeliveries({ hook }: { hook: string }) {
  const state = useSignal<(typeof states)[number]>('');
  const top = useSignal(DELIVERIES_PER_PAGE);
  const params = { id: hook };
  const named = useLive(`hook ${hook}`, async () => (await client.get('/hooks/:id', { params })).body);
  const live = useLive(
    `deliveries ${hook} ${state.value} ${top.value}`,
    () => client.get('/hooks/:id/deliveries', { params, query: { $top: top.value, state: state.value || undefined } }),
    // A delivery follows an event; its end has none.
    () => true,
  );
  return (
    <>
      <LiveContent live={named}>{({ name, url }) => <h2>{name ?? url}</h2>}</LiveContent>
      <div class="actions">
        <Field label="State">
          <select
            value={state.value}
            onChange={({ currentTarget }) => {
              state.value = currentTarget.value as (typeof states)[number];
            }}
          >
            {states.map((one) => (
              <option key={one} value={one}>
                {one === '' ? 'all' : one}
              </option>
            ))}
          </select>
        </Field>
        <NeedsRight group="monitoring">
          <DeliverAll hook={hook} again={live.reload} />
        </NeedsRight>
      </div>
      <LiveContent live={live}>
        {({ body, total = 0 }) => (
          <>
            <DeliveryTable hook={hook} rows={body} again={live.reload} />
            {total > body.length && (
              <p>
                The newest {body.length} of {total}{' '}
                {top.value < MAX_DELIVERIES && (
                  <button
                    type="button"
                    onClick={() => {
                      top.value = Math.min(MAX_DELIVERIES, top.value + DELIVERIES_PER_PAGE);
                    }}
                  >
                    Show more
                  </button>
                )}
              </p>
            )}
          </>
        )}
      </LiveContent>
    </>
  );
}

function DeliveryTable({ hook, rows, again }: { hook: string; rows: readonly Delivery[]; again: () => void }) {
  const redeliver = (delivery: string) =>
    client.post('/hooks/:id/deliveries/:delivery/redeliver', { params: { id: hook, delivery } }).then(again);
  return (
    <DataTable
      label="Deliveries"
      rows={rows}
      keyOf={({ id }) => id}
      empty="No delivery."
      columns={[
        { title: 'at', cell: ({ createdAt }) => <Ago at={createdAt} /> },
        { title: 'event', cell: ({ type, action }) => `${type}.${action}` },
        { title: 'about', cell: ({ typeId }) => <CopyableText text={typeId} /> },
        { title: 'state', cell: (delivery) => <DeliveryState delivery={delivery} /> },
        { title: 'status', cell: ({ status }) => status ?? '', isNumber: true },
        { title: 'attempts', cell: ({ attempts }) => attempts, isNumber: true },
        { title: 'error', cell: ({ error }) => <ShortText text={error ?? ''} /> },
        {
          title: 'actions',
          cell: ({ id }) => (
            <NeedsRight group="monitoring">
              <ActionButton run={() => redeliver(id)}>Deliver again</ActionButton>
            </NeedsRight>
          ),
        },
      ]}
    />
  );
}

const DeliveryState = ({ delivery: { state, nextAttemptAt, redeliveryOf } }: { delivery: Delivery }) => (
  <>
    <StatePill of={state} />
    {redeliveryOf !== undefined && ' (again)'}
    {state === 'waiting' && nextAttemptAt !== null && (
      <>
        , next <Until at={nextAttemptAt} />
      </>
    )}
  </>
);
