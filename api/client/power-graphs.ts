/**
 * The graphs that switch a node. `warning` is about the node; absent: nothing is lost. `hasSoft`: with `force: false` the
 * operating system is asked to shut down first.
 */
export const powerGraphs = {
  on: { graph: 'Graph.PowerOn.Node' },
  off: {
    graph: 'Graph.PowerOff.Node',
    warning: 'switched off; unwritten data of its operating system is lost',
    hasSoft: true,
  },
  reset: { graph: 'Graph.Reset.Node', warning: 'reset; unwritten data of its operating system is lost' },
  reboot: {
    graph: 'Graph.Reboot.Node',
    warning: 'switched off and on; unwritten data of its operating system is lost',
    hasSoft: true,
  },
} as const satisfies Record<string, { graph: string; warning?: string; hasSoft?: true }>;

export type PowerSwitch = keyof typeof powerGraphs;
