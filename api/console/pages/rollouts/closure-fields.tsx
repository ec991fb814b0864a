/** The times at which a window is closed, whatever its week says: holidays, and times of no changes. */
import type { GetAnswer } from '../../../client/requests.ts';
import { browserZone } from '../../data/zone-times.ts';
import { nextLineKey } from '../../parts/line-key.ts';
import { type LineChange, LineList, LineText } from '../../parts/line-list.tsx';
import { fieldMoment, momentIn } from './entered-times.ts';

type Closure = GetAnswer<'/windows'>[number]['closed'][number];

/** Moments as ISO 8601, so that unchanged ones stay exact; '': not entered yet. */
export type ClosureLine = Required<Closure> & { key: number };

const closureLine = (closure: Closure = { from: '', to: '' }): ClosureLine => ({
  reason: '',
  ...closure,
  key: nextLineKey(),
});

export const closureLines = (closed: readonly Closure[]): ClosureLine[] => closed.map((one) => closureLine(one));

/** Lines without both moments are not finished yet; a form with one is not sent. */
export const enteredClosures = (lines: readonly ClosureLine[]): Closure[] =>
  lines.flatMap(({ from, to, reason }) =>
    from === '' || to === '' ? [] : [{ from, to, ...(reason.trim() !== '' && { reason: reason.trim() }) }],
  );

export const ClosureFields = (change: LineChange<ClosureLine>) => (
  <>
    <LineList title="Closed" what="closure" {...change} empty={closureLine}>
      {({ from, to, reason }, number, set) => (
        <>
          <Moment label={`Closure ${number} from`} time={from} set={set('from')} />
          <Moment label={`Closure ${number} to`} time={to} set={set('to')} />
          <LineText
            label={`Reason of closure ${number}`}
            example="end of the year"
            value={reason}
            set={set('reason')}
          />
        </>
      )}
    </LineList>
    <p class="quiet">Closures are in the zone of this browser, {browserZone()}.</p>
  </>
);

const Moment = ({ label, time, set }: { label: string; time: string; set: (time: string) => void }) => (
  <input
    type="datetime-local"
    required
    aria-label={label}
    value={fieldMoment(time)}
    onInput={({ currentTarget }) => set(momentIn(currentTarget.value))}
  />
);
