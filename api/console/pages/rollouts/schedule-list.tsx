/** Schedules: launches and rollouts at due times. */
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { closeAndReload, DialogButton } from '../../parts/dialog-button.tsx';
import { inShort } from '../../parts/in-short.ts';
import { GraphLink, WorkflowLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { ChangeSchedule, ScheduleCreation } from './schedule-forms.tsx';

type Schedule = GetAnswer<'/schedules'>[number];

const MAX_SCHEDULES = 500;

export function ScheduleList() {
  const read = () => client.get('/schedules', { query: { sort: 'name', $top: MAX_SCHEDULES } });
  const live = useLive('schedules', read, ({ type }) => type === 'schedule');
  return (
    <LiveContent live={live}>
      {({ body }) => (
        <>
          <p class="actions">
            <NeedsRight group="fleet">
              <DialogButton text="New schedule" title="New schedule">
                {(close) => <ScheduleCreation cancel={close} done={closeAndReload(close, live.reload)} />}
              </DialogButton>
            </NeedsRight>
          </p>
          <DataTable
            label="Schedules"
            rows={body}
            keyOf={({ id }) => id}
            empty="No schedule: nothing starts by itself at a time."
            columns={[
              { title: 'name', cell: ({ name }) => inShort(name) },
              { title: 'when', cell: ({ when }) => whenText(when) },
              {
                title: 'starts',
                cell: ({ launch, rollout }) => <GraphLink name={launch?.name ?? rollout?.graph ?? ''} />,
              },
              { title: 'next', cell: ({ paused, next: [next] }) => (paused ? 'paused' : next && <Until at={next} />) },
              { title: 'last', cell: ({ last }) => last && <LastRun run={last} /> },
              { title: 'actions', cell: (schedule) => <ScheduleActions schedule={schedule} reload={live.reload} /> },
            ]}
          />
        </>
      )}
    </LiveContent>
  );
}

function whenText(when: Schedule['when']): string {
  if ('cron' in when) return `${when.cron} in ${when.zone}`;
  if ('at' in when) return `once, ${when.at}`;
  return `every ${when.everySec} s`;
}

function LastRun({ run: { at, status, workflow, batch, rollout, reason } }: { run: NonNullable<Schedule['last']> }) {
  return (
    <>
      <Ago at={at} />: {status}
      {reason !== undefined && `, ${reason}`}
      {workflow !== undefined && (
        <>
          , <WorkflowLink id={workflow} />
        </>
      )}
      {batch !== undefined && (
        <>
          , <a href={`/ui/batches/${encodeURIComponent(batch)}`}>batch</a>
        </>
      )}
      {rollout !== undefined && (
        <>
          , <a href={`/ui/rollouts/${encodeURIComponent(rollout)}`}>rollout</a>
        </>
      )}
    </>
  );
}

function ScheduleActions({ schedule, reload }: { schedule: Schedule; reload: () => void }) {
  const { id, name, paused } = schedule;
  const act = async (command: 'pause' | 'resume' | 'run-now') => {
    await client.put('/schedules/:id/action', { params: { id }, body: { command } });
    reload();
  };
  const remove = () => client.remove('/schedules/:id', { params: { id } }).then(reload);
  return (
    <NeedsRight group="fleet">
      <span class="actions">
        <ActionButton run={() => act('run-now')}>Run now</ActionButton>
        <ActionButton run={() => act(paused ? 'resume' : 'pause')}>{paused ? 'Resume' : 'Pause'}</ActionButton>
        <DialogButton text="Change" title={`Change schedule ${inShort(name)}`}>
          {(close) => <ChangeSchedule schedule={schedule} cancel={close} done={closeAndReload(close, reload)} />}
        </DialogButton>
        <RemoveButton what={`schedule ${inShort(name)}`} run={remove}>
          <p>Workflows and rollouts that it has started continue.</p>
        </RemoveButton>
      </span>
    </NeedsRight>
  );
}
