/** The content of a baseline, as graphs take it and as the daemon stores it. */
import { type Static, Type } from '../../define/index.ts';
import { type DeviceUpdate, deviceUpdate, updateViolations } from '../firmware/device-updates.ts';
import { biosOptions } from '../redfish/bios-options.ts';
import { firmwareOptions, firmwareViolations } from '../redfish/firmware-activities.ts';

const { image, file, sha256, applyTime } = firmwareOptions;

const firmwareGoal = Type.Object(
  {
    component: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Id or name of components in the firmware inventory; all of them must have the version.',
    }),
    version: Type.String({ minLength: 1, maxLength: 255 }),
    image,
    file,
    sha256,
    applyTime,
  },
  { additionalProperties: false },
);

export const baselineOptions = {
  firmware: Type.Array(firmwareGoal, { maxItems: 50, description: 'Versions of components, and their images.' }),
  bios: biosOptions.attributes,
  inBand: Type.Array(deviceUpdate, {
    maxItems: 20,
    description: 'Firmware of drives and other devices that the agent on the booted node updates.',
  }),
};

export type FirmwareGoal = Static<typeof firmwareGoal>;

interface CheckedGoal {
  firmware?: readonly FirmwareGoal[];
  inBand?: readonly DeviceUpdate[];
}

/** Violations that no schema shows. */
export const goalViolations = ({ firmware = [], inBand = [] }: CheckedGoal) => [
  ...componentViolations(firmware),
  ...updateViolations(inBand, 'inBand'),
];

/** A component without an image is compared only. */
const componentViolations = (firmware: readonly FirmwareGoal[]) =>
  firmware.flatMap(({ component, version, ...image }, n) => {
    if (firmware.findIndex((one) => one.component === component) < n)
      return [{ path: `firmware.${n}.component`, message: `is ${component} again; expected each component once` }];
    if (image.image === undefined && image.file === undefined && image.sha256 === undefined) return [];
    const violations = firmwareViolations({ ...image, version, targets: [component] });
    return violations.map(({ path, message }) => ({ path: `firmware.${n}.${path}`, message }));
  });
