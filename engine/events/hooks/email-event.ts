/**
 * Makes one attempt at a delivery by mail.
 *
 * 1. The connection is made here, so that the rules of egress apply to the addresses that it uses.
 * 2. A password is sent over TLS only.
 * 3. A repeated delivery has the same `Message-ID`, by which mail programs recognize it. The mails of one record are one thread.
 */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { Egress } from '../../platform/lib/egress.ts';
import { shownText } from '../../vocabulary/conceal.ts';
import type { EventPayload } from '../../vocabulary/event.ts';
import { codeOf, fieldOf } from '../../vocabulary/thrown-values.ts';
import { type AttemptLimits, attemptWithin } from './attempt.ts';
import type { AttemptOutcome } from './deliveries.ts';
import { eventFacts, eventSummary } from './receiver-formats.ts';
import { type SmtpRelay, smtpCredentialsIn, smtpRelayIn } from './smtp-relay.ts';
import type { StoredHook } from './stored-hook.ts';

export interface EmailSending extends AttemptLimits {
  url: string;
  event: EventPayload;
  /** `user:password`; undefined: the relay takes mail without a log-in. */
  secret: string | undefined;
  egress: Pick<Egress, 'check' | 'lookup'>;
  trust: Pick<StoredHook, 'ca' | 'rejectUnauthorized'>;
}

/** Bytes of one answer of the relay. */
const ANSWER_BYTES = 64 * 1024;
/** The relay closes the connection: it takes no mail now (RFC 5321, 3.8). */
const SERVICE_CLOSES = 421;

/** @throws when the signal aborted it: whether the event was delivered is unknown */
export function emailEvent(sending: EmailSending): Promise<AttemptOutcome> {
  const { url, egress } = sending;
  return attemptWithin(sending, async (signal) => {
    egress.check(url);
    const relay = smtpRelayIn(new URL(url));
    const socket = connect({ host: relay.host, port: relay.port, lookup: egress.lookup, signal });
    try {
      await once(socket, 'connect', { signal });
      await send(sending, relay, socket);
      return { status: 250, error: null, away: false };
    } catch (error) {
      const reply = fieldOf(error, 'responseCode');
      if (typeof reply !== 'number') throw error;
      const step = codeOf(error) === 'ETLS' ? ' to STARTTLS' : '';
      return { status: reply, error: `the relay answered ${reply}${step}`, away: reply === SERVICE_CLOSES };
    } finally {
      socket.destroy();
    }
  });
}

/** nodemailer is loaded with the first mail: few daemons send one. */
async function send(
  { event, secret, trust, limitMs }: EmailSending,
  relay: SmtpRelay,
  connection: Socket,
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const { host, port, isSecure, from, to } = relay;
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    connection,
    requireTLS: secret !== undefined,
    ...(secret !== undefined && { auth: smtpCredentialsIn(secret) }),
    tls: {
      rejectUnauthorized: trust.rejectUnauthorized,
      ...(isIP(host) === 0 && { servername: host }),
      ...(trust.ca !== null && { ca: trust.ca }),
    },
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    maxResponseSize: ANSWER_BYTES,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ from, to, ...emailOf(event, domainOf(from)) });
  } finally {
    transport.close();
  }
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** @param domain of the ids @returns subject, text and headers */
function emailOf(event: EventPayload, domain: string) {
  const { id, type, typeId } = event;
  const thread = `<${idText(`${type}-${typeId}`)}@${domain}>`;
  const lines = eventFacts(event).map(([name, value]) => `${name}: ${value}`);
  const [subject, text] = [eventSummary(event), [eventSummary(event), '', ...lines, ''].join('\n')].map(shownText);
  return {
    subject: subject ?? '',
    text: text ?? '',
    messageId: `<${idText(id)}@${domain}>`,
    references: thread,
    inReplyTo: thread,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Nodewright-Event': id },
  };
}

const idText = (text: string): string => text.replaceAll(/[^\w.-]/g, '-');
