/** RAID controllers with their drives and volumes, as a BMC or a tool of the vendor shows them. */

export interface RaidDrive {
  /** Its address for the BMC, or for the tool of the controller. */
  path: string;
  /** '': unknown. */
  serial: string;
  bytes: number;
  /** Such as `SSD`. */
  media: string;
  /** Such as `SAS`. */
  protocol: string;
  /** Why no new volume takes it, such as `is failing`; undefined: it is fit. */
  unfit?: string;
}

export interface RaidVolume {
  path: string;
  name: string;
  /** Such as `RAID1`. */
  raid: string;
  bytes: number;
  /** Their paths. */
  drives: readonly string[];
}

export interface RaidController {
  id: string;
  /** The address that takes new volumes. */
  collection: string;
  /** Levels that it makes; undefined: unknown. */
  levels: readonly string[] | undefined;
  /** Changes wait for the next restart of the machine. */
  isStaged: boolean;
  drives: readonly RaidDrive[];
  volumes: readonly RaidVolume[];
}
