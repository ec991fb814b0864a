/** The event stream of a Redfish service (DSP0266, 13.5: ServerSentEventUri). */
import { ObmError } from '../../define/obm.ts';
import { MIB } from '../../vocabulary/units.ts';
import { SERVICE_ROOT } from '../redfish/service.ts';
import { type AskResource, linkOf } from './redfish-resource.ts';

const EVENT_LIMIT = MIB;
/** A stream lasts for an hour at most. */
const STREAM_LIMIT = 64 * MIB;
/** Readings of sensors, which some BMCs send every few seconds. */
const METRIC_REPORT = /"@odata\.type"\s*:\s*"#MetricReport\./;

/** @returns undefined if the service has no stream, or sends no events */
export async function eventStreamOf(ask: AskResource): Promise<string | undefined> {
  const { EventService: link } = await ask({ method: 'GET', path: SERVICE_ROOT });
  if (link === undefined) return undefined;
  const { ServiceEnabled: isEnabled, ServerSentEventUri: path } = await ask({ method: 'GET', path: linkOf(link) });
  return typeof path === 'string' && isEnabled !== false ? path : undefined;
}

/**
 * Resolves when the stream has ended. Of an event only its data counts. The lines are read here because parsers of event streams make
 * an error of each unknown field, at a cost at which a BMC could keep the daemon busy.
 * @param heard is called for each event @throws ObmError if an event, or the stream, is too long
 */
export async function readEventStream(body: AsyncIterable<Uint8Array>, heard: () => void): Promise<void> {
  const decoder = new TextDecoder();
  let [size, data, rest] = [0, '', ''];
  for await (const bytes of body) {
    const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data += line;
      if (line !== '' && line !== '\r') continue;
      if (data !== '' && !METRIC_REPORT.test(data)) heard();
      data = '';
    }
    size += bytes.length;
    if (data.length + rest.length > EVENT_LIMIT) throw longError('an event', EVENT_LIMIT);
    if (size > STREAM_LIMIT) throw longError('events', STREAM_LIMIT);
  }
}

const longError = (what: string, limit: number): ObmError =>
  new ObmError('OBM_FAILED', `the BMC sent ${what} of more than ${limit} bytes in one stream`);
