/**
 * A TCP proxy for a server that simulates network faults. Accepts connections on a free loopback port; `stop` ends all
 * of them.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** Connections stay open and new ones are accepted, but no data passes. */
  hang(): void;
  /** Ends `hang`. */
  resume(): void;
  /** Closes the open connections; new ones are served. */
  cut(): void;
  /** New connections lead to another port; the open ones stay. */
  lead(port: number): void;
  /** The same, and closes the open ones. */
  retarget(port: number): void;
  /**
   * Delivers the next message to the server that contains this text, and closes its connection before the answer. A
   * write that lost its compare-and-set is answered, and the next message counts instead.
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
  #target: number;
  #hanging = false;
  #lose: { text: string; lost: () => void } | undefined;

  constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    this.port = (server.address() as { port: number }).port;
    server.on('connection', (client) => this.#pair(client, connect(this.#target, '127.0.0.1')));
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

  lead(port: number): void {
    this.#target = port;
  }

  retarget(port: number): void {
    this.lead(port);
    this.cut();
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
