/** Whether the value is one of the listed ones, which are the values of its type. */
export const isOneOf = <T>(values: readonly T[], value: unknown): value is T => values.some((one) => one === value);
