/** The graphs that switch a node. `warning` is about the node; absent: nothing is lost. */
export const powerGraphs = {
  on: { graph: 'Graph.PowerOn.Node' },
  off: { graph: 'Graph.PowerOff.Node', warning: 'switched off; unwritten data of its operating system is lost' },
  reset: { graph: 'Graph.Reset.Node', warning: 'reset; unwritten data of its operating system is lost' },
  reboot: {
    graph: 'Graph.Reboot.Node',
    warning: 'switched off and on; unwritten data of its operating system is lost',
  },
} as const satisfies Record<string, { graph: string; warning?: string }>;

export type PowerSwitch = keyof typeof powerGraphs;
