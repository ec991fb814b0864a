/** The devices of a baseline that are updated in band, as they are edited: the fields of a line, all values as texts. */
import type { DeviceKind } from '../../../../engine/vocabulary/device-kinds.ts';
import { nextLineKey } from '../../parts/line-key.ts';
import type { Baseline } from './shown-baseline.ts';

type Device = Baseline['inBand'][number];

export interface DeviceLine {
  /** Identifies the line, in the page only. */
  key: number;
  kind: string;
  model: string;
  version: string;
  file: string;
  sha256: string;
  /** The rest as JSON: `slot`, `action`, and how a package is run; '': nothing. */
  more: string;
}

export const emptyDevice = (): DeviceLine => ({
  key: nextLineKey(),
  kind: 'nvme',
  model: '',
  version: '',
  file: '',
  sha256: '',
  more: '',
});

export const deviceLines = (inBand: readonly Device[]): DeviceLine[] =>
  inBand.map(({ kind, model, version, file, sha256, ...more }) => {
    const rest = Object.keys(more).length === 0 ? '' : JSON.stringify(more);
    return { key: nextLineKey(), kind, model, version, file, sha256, more: rest };
  });

/** Empty lines are left out; the daemon rejects those that lack something. @throws Error if the rest is not an object */
export const enteredDevices = (lines: readonly DeviceLine[]): Device[] =>
  lines.flatMap(({ key: _, kind, more, ...texts }, at) => {
    const { model, version, file, sha256 } = texts;
    if ([more, ...Object.values(texts)].every((text) => text.trim() === '')) return [];
    const [name, checksum] = [file.trim(), sha256.trim()];
    const given = {
      kind: kind as DeviceKind,
      model: model.trim(),
      version: version.trim(),
      file: name,
      sha256: checksum,
    };
    return [{ ...moreOf(more, at + 1), ...given }];
  });

function moreOf(text: string, number: number): Partial<Device> {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The same error as for a value that is no object.
  }
  throw new Error(`The options of device ${number} are not a JSON object, such as {"slot": 2}`);
}
