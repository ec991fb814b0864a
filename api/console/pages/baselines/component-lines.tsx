/** The components of a baseline and their versions, as lines that can be edited. */
import { applyTimes } from '../../../../engine/vocabulary/apply-times.ts';
import { type LineChange, LineList, LineText } from '../../parts/line-list.tsx';
import { type ComponentLine, emptyComponent } from './edited-baseline.ts';

export const ComponentLines = ({ lines, change }: LineChange<ComponentLine>) => (
  <LineList title="Firmware" what="component" lines={lines} change={change} empty={emptyComponent}>
    {(line, number, set) => (
      <>
        <LineText
          label={`Component ${number}: id or name`}
          example="BMC"
          value={line.component}
          set={set('component')}
        />
        <LineText
          label={`Version of component ${number}`}
          example="7.10.30"
          value={line.version}
          set={set('version')}
        />
        <LineText
          label={`Image of component ${number}: URL, or name of a stored file`}
          example="https://… or bmc-7.10.bin"
          value={line.source}
          set={set('source')}
        />
        <select
          aria-label={`When component ${number} is applied`}
          value={line.applyTime}
          onChange={({ currentTarget }) => set('applyTime')(currentTarget.value)}
        >
          <option value="">as the BMC decides</option>
          {applyTimes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </>
    )}
  </LineList>
);
