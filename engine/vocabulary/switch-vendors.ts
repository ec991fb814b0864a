/** Switches whose zero-touch provisioning asks the daemon for its program. */

interface VendorTraits {
  /** RackHD's names for it: the profile with the program that runs its scripts, and the graph that discovers it. */
  rackhd?: { profile: string; graph: string };
  /** The switch runs shell scripts, and thus the daemon's own agent. */
  runsShell: boolean;
  /** The header in which its software sends its MAC; absent: it sends none. */
  macHeader?: string;
}

/** By the last segment of `/profiles/switch/:vendor`. */
const traits = {
  arista: {
    rackhd: { profile: 'taskrunner.py', graph: 'Graph.Switch.Discovery.Arista.Ztp' },
    runsShell: true,
    macHeader: 'x-arista-systemmac',
  },
  brocade: { rackhd: { profile: 'taskrunner.py', graph: 'Graph.Switch.Discovery.Brocade.Ztp' }, runsShell: false },
  cisco: { rackhd: { profile: 'taskrunner.py', graph: 'Graph.Switch.Discovery.Cisco.Poap' }, runsShell: false },
  cumulus: { runsShell: true, macHeader: 'cumulus-base-mac' },
  dell: { rackhd: { profile: 'dell-bmp.sh', graph: 'Graph.Switch.Discovery.Dell.Bmp' }, runsShell: true },
  onie: {
    rackhd: { profile: 'dell-onie.sh', graph: 'Graph.Switch.Discovery.Dell.Onie' },
    runsShell: true,
    macHeader: 'onie-eth-addr',
  },
  sonic: { runsShell: true, macHeader: 'base-mac-address' },
} satisfies Record<string, VendorTraits>;

export type SwitchVendor = keyof typeof traits;
export const switchVendors = Object.keys(traits) as SwitchVendor[];

/** The profile with the daemon's own agent. */
export const SWITCH_PROFILE = 'switch.sh';

export const traitsOfSwitch = (vendor: SwitchVendor): VendorTraits => traits[vendor];

export const switchMacHeaders = switchVendors.flatMap((vendor) => traitsOfSwitch(vendor).macHeader ?? []);
