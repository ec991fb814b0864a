/** Levels of RAID, as Redfish names them (`Volume.RAIDType`). */

export const raidLevels = ['RAID0', 'RAID1', 'RAID5', 'RAID6', 'RAID10', 'RAID50', 'RAID60'] as const;
export type RaidLevel = (typeof raidLevels)[number];

/** Drives that each level needs at least, and whether their number must be even. */
const needs: Readonly<Record<RaidLevel, { least: number; isEven?: true }>> = {
  RAID0: { least: 1 },
  RAID1: { least: 2, isEven: true },
  RAID5: { least: 3 },
  RAID6: { least: 4 },
  RAID10: { least: 4, isEven: true },
  RAID50: { least: 6, isEven: true },
  RAID60: { least: 8, isEven: true },
};

/** How many drives of a volume hold data that is not redundant, for its size. RAID1: pairs. */
export function dataDrives(level: RaidLevel, drives: number): number {
  const redundant = { RAID0: 0, RAID1: drives / 2, RAID5: 1, RAID6: 2, RAID10: drives / 2, RAID50: 2, RAID60: 4 };
  return drives - redundant[level];
}

/** @returns the reason why that number of drives is wrong for a level; undefined: it is right */
export function raidLevelViolation(level: RaidLevel, drives: number): string | undefined {
  const { least, isEven } = needs[level];
  if (drives < least) return `${level} needs ${least} drives at least; found ${drives}`;
  return isEven && drives % 2 !== 0 ? `${level} needs an even number of drives; found ${drives}` : undefined;
}
