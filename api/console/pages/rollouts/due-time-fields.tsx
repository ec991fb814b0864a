/** When a schedule is due, and what happens to times that it cannot keep. */
import { useSignal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { browserZone } from '../../data/zone-times.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Field } from '../../parts/field.tsx';
import { fieldText } from '../../parts/form.tsx';
import { NextTimes } from '../../parts/next-times.tsx';
import { type DueKind, dueKindOf, dueMoment, fieldMoment, hasTimes, hoursOf, whenIn } from './entered-times.ts';
import { ZoneField } from './zone-field.tsx';

type Schedule = GetAnswer<'/schedules'>[number];
type Times = Pick<Schedule, 'name' | 'when' | 'overlap' | 'missed'>;

/** @param schedule that is changed; absent: a new one */
export function DueTimeFields({ name, schedule }: { name: string; schedule?: Schedule }) {
  const when = schedule?.when;
  const kind = useSignal<DueKind>(dueKindOf(when));
  return (
    <>
      <Field label="Name">
        <input name="name" required maxLength={200} defaultValue={name} />
      </Field>
      <Field label="When">
        <select
          name="kind"
          value={kind.value}
          onChange={({ currentTarget }) => {
            kind.value = currentTarget.value as DueKind;
          }}
        >
          <option value="cron">at times of the calendar</option>
          <option value="every">again and again</option>
          <option value="at">once</option>
        </select>
      </Field>
      {kind.value === 'cron' && (
        <>
          <Field label="Times" hint="Minute hour day month weekday: 30 2 * * sun is each Sunday at 02:30">
            <input
              name="cron"
              required
              maxLength={200}
              autoComplete="off"
              spellcheck={false}
              defaultValue={when !== undefined && 'cron' in when ? when.cron : ''}
            />
          </Field>
          <ZoneField zone={when !== undefined && 'cron' in when ? when.zone : undefined} />
        </>
      )}
      {kind.value === 'every' && (
        <Field label="Hours between two times" hint="From now on">
          <input name="hours" type="number" required min={0.01} max={8_784} step="any" defaultValue={hoursOf(when)} />
        </Field>
      )}
      {kind.value === 'at' && (
        <Field label="Time" hint="In the zone of this browser">
          <input name="at" type="datetime-local" required defaultValue={fieldMoment(dueMoment(when))} />
        </Field>
      )}
      <NextTimes
        zoneIn={(form) => fieldText(form, 'zone') ?? browserZone()}
        ask={(form) => (hasTimes(form) ? nextDueTimes(form) : undefined)}
      />
      <ChoiceField
        label="While the run before has not ended"
        hint="For a time that is due in this state"
        name="overlap"
        initial={schedule?.overlap ?? 'skip'}
        choices={[
          ['skip', 'skip it'],
          ['queue', 'run it afterwards'],
        ]}
      />
      <ChoiceField
        label="While no daemon ran"
        hint="For the times that were due"
        name="missed"
        initial={schedule?.missed ?? 'run'}
        choices={[
          ['run', 'run the newest'],
          ['skip', 'skip them'],
        ]}
      />
    </>
  );
}

async function nextDueTimes(form: FormData) {
  const { body } = await client.post('/schedules/preview', { body: { when: whenIn(form) } });
  return body.next.map((from) => ({ from }));
}

export const timesIn = (form: FormData): Times => ({
  name: fieldText(form, 'name') ?? '',
  when: whenIn(form),
  overlap: form.get('overlap') === 'queue' ? 'queue' : 'skip',
  missed: form.get('missed') === 'skip' ? 'skip' : 'run',
});
