/** Options of RAID volumes in band. */
import { Type } from '../../define/index.ts';
import { type RaidTool, raidTools } from './raid-commands.ts';

export const toolOption = {
  tool: Type.Optional(
    Type.Unsafe<RaidTool>({
      enum: [...raidTools],
      description: 'Absent: storcli64 or perccli64, whichever finds a controller. `mdadm` makes arrays of Linux.',
    }),
  ),
};
