/** The devices of a baseline that are updated in band, as lines that can be edited. */
import { deviceKinds, deviceKindText } from '../../../../engine/vocabulary/device-kinds.ts';
import { type LineChange, LineList, LineText } from '../../parts/line-list.tsx';
import { type DeviceLine, emptyDevice } from './edited-devices.ts';

export const DeviceLines = ({ lines, change }: LineChange<DeviceLine>) => (
  <LineList title="Firmware in band" what="device" lines={lines} change={change} empty={emptyDevice}>
    {(line, number, set) => (
      <>
        <select
          aria-label={`Kind of device ${number}`}
          value={line.kind}
          onChange={({ currentTarget }) => set('kind')(currentTarget.value)}
        >
          {deviceKinds.map((kind) => (
            <option key={kind} value={kind}>
              {deviceKindText(kind)}
            </option>
          ))}
        </select>
        <LineText
          label={`Model of device ${number}, of a package that of the machine`}
          example="model, or its beginning and *"
          value={line.model}
          set={set('model')}
        />
        <LineText label={`Version of device ${number}`} example="GDC5902Q" value={line.version} set={set('version')} />
        <LineText
          label={`File of device ${number}: name of a stored file`}
          example="GDC5902Q.bin"
          value={line.file}
          set={set('file')}
        />
        <LineText
          label={`SHA-256 of the file of device ${number}`}
          example="SHA-256 of the file"
          value={line.sha256}
          set={set('sha256')}
        />
        <LineText
          label={`Options of device ${number} as JSON: slot, action, package`}
          example={line.kind === 'package' ? '{"package": {"versionCommand": "…"}}' : 'options as JSON'}
          value={line.more}
          set={set('more')}
        />
      </>
    )}
  </LineList>
);
