/** The content of a baseline, as graphs take it and as the daemon stores it. */
import { type Static, Type } from '../../define/index.ts';
import { biosOptions } from './bios-options.ts';
import { firmwareOptions } from './firmware-activities.ts';

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
  bios: Type.Unsafe<Static<typeof biosOptions.attributes>>({
    ...biosOptions.attributes,
    description: 'Values of BIOS attributes by their names.',
  }),
};

export type FirmwareGoal = Static<typeof firmwareGoal>;
