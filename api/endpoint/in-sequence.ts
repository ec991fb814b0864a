/**
 * Handles the requests of a connection in sequence. HTTP/1.1 allows a client to send requests before it has the answers to those before
 * (pipelining). Node.js would begin each of them when it arrives; if the connection closes then, the answers that wait for their
 * turn emit no `close`, and whatever they hold, such as an open file or a place of a limit, would be held until the process ends.
 *
 * 1. A request begins when the answer to the one before has ended. One connection therefore uses no more than one request does.
 * 2. A connection with too many waiting requests is closed, and so are those that wait on a connection that closes.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Three times as many as package managers send; the headers of each are in memory. */
const MOST_WAITING = 30;

type WaitingRequest = [IncomingMessage, ServerResponse];

export function inSequence(onRequest: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, WaitingRequest[]>();
  return (req, res) => {
    const { socket } = req;
    const queue = queues.get(socket);
    if (queue === undefined) {
      queues.set(socket, []);
      return begin(socket, [req, res]);
    }
    if (queue.length === MOST_WAITING) socket.destroy();
    else queue.push([req, res]);
  };

  function begin(socket: Socket, [req, res]: WaitingRequest): void {
    res.once('close', () => {
      const next = queues.get(socket)?.shift();
      // A connection that closes has assigned its socket to none.
      if (next?.[1].socket) begin(socket, next);
      else queues.delete(socket);
    });
    onRequest(req, res);
  }
}
