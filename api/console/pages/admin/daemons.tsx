/** The processes of the service, by their heartbeats; and the state of the one that answers. */
import { useSignal } from '@preact/signals';
import { client } from '../../data/daemon-client.ts';
import { useProcesses } from '../../data/heard-processes.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Field } from '../../parts/field.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago } from '../../parts/time.tsx';
import { type DaemonProcess, metricsIn } from './heartbeats.ts';

export function DaemonsTab() {
  return (
    <>
      <h2>Processes</h2>
      <Processes />
      <h2>The daemon that answers this page</h2>
      <Readiness />
      <Metrics />
    </>
  );
}

const Processes = () => (
  <LiveContent live={useProcesses()}>{(processes) => <ProcessTable processes={processes} />}</LiveContent>
);

function ProcessTable({ processes }: { processes: readonly DaemonProcess[] }) {
  return (
    <DataTable
      label="Processes"
      rows={processes}
      keyOf={({ key }) => key}
      empty="No heartbeat was heard yet. A process sends one every heartbeatIntervalSec."
      columns={[
        { title: 'host', cell: ({ host }) => host },
        { title: 'process', cell: ({ pid }) => pid, isNumber: true },
        { title: 'Node.js', cell: ({ version }) => version },
        { title: 'memory', cell: ({ memory }) => `${Math.round(memory / 1_048_576)} MB`, isNumber: true },
        { title: 'CPU', cell: ({ cpu }) => cpu, isNumber: true },
        { title: 'heartbeat', cell: ({ at }) => <Ago at={at} /> },
        {
          title: 'state',
          cell: ({ isSilent }) =>
            isSilent ? <StatePill of="silent" text="silent, or ended" /> : <StatePill of="alive" />,
        },
      ]}
    />
  );
}

function Readiness() {
  const live = useLive('readyz', async () => (await client.get('/readyz')).body);
  return <LiveContent live={live}>{({ status }) => <p>State: {status}.</p>}</LiveContent>;
}

function Metrics() {
  const wanted = useSignal('');
  const live = useLive('metrics', async () => metricsIn(String((await client.get('/metrics')).body)));
  return (
    <>
      <div class="filters">
        <Field label="Search in the metrics">
          <input
            type="search"
            onInput={({ currentTarget }) => {
              wanted.value = currentTarget.value.trim();
            }}
          />
        </Field>
      </div>
      <LiveContent live={live}>
        {(metrics) => (
          <DataTable
            label="Metrics"
            rows={metrics.filter(({ name, labels }) => `${name} ${labels}`.includes(wanted.value)).slice(0, 300)}
            keyOf={({ name, labels }) => `${name} ${labels}`}
            empty="No metric has that name."
            columns={[
              { title: 'metric', cell: ({ name }) => <code>{name}</code> },
              { title: 'of', cell: ({ labels }) => labels },
              { title: 'value', cell: ({ value }) => value, isNumber: true },
            ]}
          />
        )}
      </LiveContent>
    </>
  );
}
