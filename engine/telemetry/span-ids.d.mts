export const spanIds: { generateTraceId(): string; generateSpanId(): string };
export function withSpanId<T>(id: string | undefined, start: () => T): T;
