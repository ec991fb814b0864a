/** Answers requests that are no HTTP, as Node.js does itself; and a method that does not exist by 501, as RFC 9110, 9.1 says. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { property } from '../../engine/vocabulary/json.ts';
import { codeOf } from '../../engine/vocabulary/thrown-values.ts';

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

const statuses: Record<string, string> = {
  HPE_INVALID_METHOD: '501 Not Implemented',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  [REQUEST_TIMEOUT]: '408 Request Timeout',
};

export function answerUnreadable(server: Server): void {
  server.on('clientError', (error: Error, socket: Duplex) => {
    // After a stall of this process, Node checks its timeouts before it reads what has arrived in the meantime.
    if (codeOf(error) === REQUEST_TIMEOUT && messageOn(socket) === undefined) cutUnlessRead(socket as Socket, error);
    else cut(socket, error);
  });
}

/** Returns the answer to the request on the connection; undefined: none has been read. */
const messageOn = (socket: Duplex): unknown => property(socket, '_httpMessage') ?? undefined;

/** Lets what has arrived be read first. It may have been answered, too. */
function cutUnlessRead(socket: Socket, error: Error): void {
  const { bytesWritten } = socket;
  setImmediate(() => {
    if (messageOn(socket) === undefined && socket.bytesWritten === bytesWritten) cut(socket, error);
  });
}

function cut(socket: Duplex, error: Error): void {
  const status = statuses[codeOf(error)] ?? '400 Bad Request';
  // Nothing may follow the beginning of another answer.
  const isAnswered = property(messageOn(socket), '_headerSent') === true;
  if (socket.writable && !isAnswered)
    socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n`);
  socket.destroy(error);
}
