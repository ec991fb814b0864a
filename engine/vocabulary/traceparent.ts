/**
 * The header `traceparent` of W3C Trace Context (version 00): a trace, a span in it, and whether the trace is sampled. A
 * workflow keeps one as text: its trace, and the parent of its spans.
 */
export interface Traceparent {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOWHERE = /^0+$/;
const SAMPLED = 0x01;
/** Where the trace id begins and ends in the text. */
const TRACE_ID = [3, 35] as const;

/** @returns undefined for a text that the standard says to ignore; one of a later version is read as far as it is known */
export function traceparentIn(text: string): Traceparent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (NOWHERE.test(traceId) || NOWHERE.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export const traceparentText = ({ traceId, spanId, isSampled }: Traceparent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** Returns the trace of a workflow. */
export const traceIdOf = ({ traceparent }: { traceparent: string }): string => traceparent.slice(...TRACE_ID);
