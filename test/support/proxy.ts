/**
 * A TCP proxy before a server: what a network does to connections that nobody closes. Takes connections on a free
 * loopback port; `stop` ends all of them.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** Connections stay open and new ones are taken, but nothing gets through any more. */
  hang(): void;
  /** What hung goes on. */
  resume(): void;
  /** Cuts the connections that are open; new ones are served. */
  cut(): void;
  /**
   * The next message to the server that holds this text arrives; its connection is cut before the answer does. A write that
   * came too late for the version that it was made for is answered, and the next message counts.
   */
  loseAnswerTo(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** @param target a port on this machine */
export async function startProxy(target: number): Promise<Proxy> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return new Relay(server, target);
}

/** In MongoDB's answer to a write: `n`, an int32, is 0. */
const NOTHING_WRITTEN = Buffer.from([0x10, 0x6e, 0, 0, 0, 0, 0]);

class Relay implements Proxy {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, target: Socket]>();
  #hanging = false;
  #lose: { text: string; lost: () => void } | undefined;

  constructor(server: Server, target: number) {
    this.#server = server;
    this.port = (server.address() as { port: number }).port;
    server.on('connection', (client) => this.#pair(client, connect(target, '127.0.0.1')));
  }

  #pair(client: Socket, target: Socket): void {
    const pair = [client, target] as const;
    this.#pairs.add(pair);
    const end = () => {
      this.#pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    let isLosing = false;
    client.on('data', (data) => {
      isLosing ||= this.#lose !== undefined && data.includes(this.#lose.text);
      target.write(data);
    });
    target.on('data', (data) => {
      const lose = this.#lose;
      if (isLosing && lose !== undefined && !data.includes(NOTHING_WRITTEN)) {
        this.#lose = undefined;
        end();
        lose.lost();
      } else client.write(data);
      isLosing = false;
    });
    if (this.#hanging) for (const socket of pair) socket.pause();
  }

  hang(): void {
    this.#hanging = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  resume(): void {
    this.#hanging = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  loseAnswerTo(text: string): Promise<void> {
    return new Promise((lost) => {
      this.#lose = { text, lost };
    });
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }
}
