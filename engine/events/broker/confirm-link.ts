/**
 * Writes messages to a confirm channel of amqplib, all messages of one turn of the event loop together.
 *
 * Owns the frames that are not written yet. Relies on amqplib for the handshake, the heartbeats and the confirms. It
 * writes to the socket below amqplib, whose own `publish` makes several buffers and at least one write of each message;
 * frames of other channels may come between two messages, but not into one.
 */
import type { Duplex } from 'node:stream';
import type { ConfirmChannel } from 'amqplib';
import { Frames, type Message } from './frames.ts';

type OnConfirm = (error: Error | null) => void;

export interface ConfirmLink {
  onClose(listener: () => void): void;
  /** @param confirmed called once: when the broker has confirmed the message or rejected it, or the channel is closed */
  publish(message: Message, confirmed: OnConfirm): void;
  /** Destroys the socket. */
  hangUp(reason: string): void;
}

/** The parts of amqplib that its types do not expose. */
interface Internals {
  readonly ch: number;
  readonly connection: { readonly stream: Duplex; readonly frameMax: number };
  pushConfirmCallback(confirmed: OnConfirm): void;
}

export function confirmLink(channel: ConfirmChannel, exchange: string): ConfirmLink {
  const internals = channel as unknown as Internals;
  const { stream, frameMax } = internals.connection;
  const frames = new Frames(internals.ch, frameMax, exchange);
  let planned = false;
  let closed = false;
  channel.on('close', () => {
    closed = true;
  });

  const write = () => {
    planned = false;
    const buffers = frames.take();
    // The messages fail with their channel.
    if (!stream.writable) return;
    stream.cork();
    for (const buffer of buffers) stream.write(buffer);
    stream.uncork();
  };

  return {
    onClose: (listener) => void channel.on('close', listener),
    publish(message, confirmed) {
      if (closed) throw new Error('the AMQP channel is closed');
      frames.add(message);
      internals.pushConfirmCallback(confirmed);
      if (planned) return;
      planned = true;
      setImmediate(write);
    },
    hangUp: (reason) => void stream.destroy(new Error(reason)),
  };
}
