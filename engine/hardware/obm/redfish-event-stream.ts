/** The event stream of a Redfish service (DSP0266, 13.5: ServerSentEventUri). */
import { createParser } from 'eventsource-parser';
import { ObmError } from '../../define/obm.ts';
import { MIB } from '../../vocabulary/units.ts';
import { SERVICE_ROOT } from '../redfish/service.ts';
import { type AskResource, linkOf } from './redfish-resource.ts';

const EVENT_LIMIT = MIB;
/** Readings of sensors, which some BMCs send every few seconds. */
const METRIC_REPORT = /"@odata\.type"\s*:\s*"#MetricReport\./;

/** @returns undefined if the service has no stream, or sends no events */
export async function eventStreamOf(ask: AskResource): Promise<string | undefined> {
  const { EventService: link } = await ask({ method: 'GET', path: SERVICE_ROOT });
  if (link === undefined) return undefined;
  const { ServiceEnabled: isEnabled, ServerSentEventUri: path } = await ask({ method: 'GET', path: linkOf(link) });
  return typeof path === 'string' && isEnabled !== false ? path : undefined;
}

/** Resolves when the stream has ended. @param heard is called for each event @throws ObmError if an event is too long */
export async function readEventStream(body: AsyncIterable<Uint8Array>, heard: () => void): Promise<void> {
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: EVENT_LIMIT,
    onEvent: ({ data }) => {
      if (!METRIC_REPORT.test(data)) heard();
    },
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (isTooLong) throw new ObmError('OBM_FAILED', `the BMC sent an event of more than ${EVENT_LIMIT} bytes`);
  }
}
