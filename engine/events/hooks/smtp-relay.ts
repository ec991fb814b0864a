/**
 * The url of a hook that sends mail: `smtp://relay.example.com?from=nodewright@example.com&to=ops@example.com,night@example.com`.
 * With `smtps` the connection begins with TLS; with `smtp` it changes to TLS if the relay offers it.
 */
import { invalidInput } from '../../vocabulary/errors.ts';

export interface SmtpRelay {
  host: string;
  port: number;
  /** TLS from the first byte. */
  isSecure: boolean;
  from: string;
  to: string[];
}

const ports: Readonly<Record<string, number>> = { 'smtp:': 25, 'smtps:': 465 };
const MAX_RECIPIENTS = 20;
/** Characters of an address: RFC 5321, 4.5.3.1.3. */
const ADDRESS_LENGTH = 254;
/** A mailbox without a name, quotes or comments. */
const mailbox = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;

/** @throws NodewrightError INVALID, with the path `url` */
export function smtpRelayIn({ protocol, hostname, port, searchParams }: URL): SmtpRelay {
  const usual = ports[protocol];
  if (usual === undefined) throw invalidInput('url', 'must begin with smtp:// or smtps://, because the format is mail');
  if (hostname === '') throw invalidInput('url', 'has no host; expected that of a mail relay');
  const from = searchParams.get('from') ?? '';
  const to = (searchParams.get('to') ?? '').split(',').filter((address) => address !== '');
  if (!isMailbox(from))
    throw invalidInput('url', `needs ?from=ADDRESS, such as nodewright@example.com${foundText(from)}`);
  if (to.length === 0 || to.length > MAX_RECIPIENTS)
    throw invalidInput('url', `has ${to.length} recipients; expected 1 to ${MAX_RECIPIENTS} in &to=ADDRESS,ADDRESS`);
  const broken = to.find((address) => !isMailbox(address));
  if (broken !== undefined) throw invalidInput('url', `has a recipient that is not an address${foundText(broken)}`);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? usual : Number(port),
    isSecure: protocol === 'smtps:',
    from,
    to,
  };
}

const isMailbox = (text: string): boolean => text.length <= ADDRESS_LENGTH && mailbox.test(text);

/** Characters of a wrong address that an error repeats. */
const EXCERPT = 60;
const foundText = (address: string): string =>
  address === '' ? '' : `; found ${JSON.stringify(address.slice(0, EXCERPT))}`;

/** @returns user and password @throws NodewrightError INVALID, with the path `secret` */
export function smtpCredentialsIn(secret: string): { user: string; pass: string } {
  const colon = secret.indexOf(':');
  if (colon < 1) throw invalidInput('secret', 'has no user; for mail it is user:password of the relay');
  return { user: secret.slice(0, colon), pass: secret.slice(colon + 1) };
}
