export declare const spanIds: { generateTraceId(): string; generateSpanId(): string };
