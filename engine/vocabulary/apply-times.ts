/** When a BMC applies an update. Source: Redfish, `@Redfish.OperationApplyTime`. */
export const applyTimes = ['Immediate', 'OnReset', 'AtMaintenanceWindowStart', 'InMaintenanceWindowOnReset'] as const;

export type ApplyTime = (typeof applyTimes)[number];
