/** The BIOS settings of a baseline, as lines that can be edited. */

import { type LineChange, LineList, LineText } from '../../parts/line-list.tsx';
import { emptySetting, type SettingLine } from './edited-baseline.ts';

export const SettingLines = ({ lines, change }: LineChange<SettingLine>) => (
  <LineList title="BIOS settings" what="setting" lines={lines} change={change} empty={emptySetting}>
    {(line, number, set) => (
      <>
        <LineText label={`Attribute ${number}`} example="BootMode" value={line.name} set={set('name')} />
        <LineText label={`Value of attribute ${number}`} example="Uefi" value={line.value} set={set('value')} />
      </>
    )}
  </LineList>
);
