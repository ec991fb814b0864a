/** A mail relay that keeps all mails, and rejects the recipients that a test names. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from './hearing.ts';

interface Mail {
  /** Sender of the envelope. */
  from: string;
  /** Recipients of the envelope. */
  to: string[];
  /** Headers and text, as they came. */
  source: string;
  /** Name in the log-in; undefined: there was none. */
  user: string | undefined;
  isEncrypted: boolean;
}

interface TestRelay {
  port: number;
  mails: Hearing<Mail>;
}

/** @param replyTo of a recipient; undefined: it is accepted */
export async function startSmtpRelay(
  t: Scope,
  options: Pick<SMTPServerOptions, 'key' | 'cert' | 'secure' | 'hideSTARTTLS'> = {},
  replyTo: (recipient: string) => number | undefined = () => undefined,
): Promise<TestRelay> {
  const mails = new Hearing<Mail>();
  const server = new SMTPServer({
    disabledCommands: options.cert === undefined ? ['STARTTLS'] : [],
    authOptional: true,
    allowInsecureAuth: true,
    ...options,
    onAuth: ({ username, password }, _, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('wrong')),
    onRcptTo: ({ address }, _, done) => {
      const responseCode = replyTo(address);
      done(responseCode === undefined ? null : Object.assign(new Error('rejected'), { responseCode }));
    },
    onData: (stream, { envelope, user, secure }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.add({
          from,
          to,
          source: Buffer.concat(chunks).toString(),
          user: user as string | undefined,
          isEncrypted: secure,
        });
        done();
      });
    },
  });
  // A client that ends a handshake.
  server.on('error', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, mails };
}
