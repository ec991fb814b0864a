/** Answers requests that are no HTTP, as Node.js does itself; and a method that does not exist by 501, as RFC 9110, 9.1 says. */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { property } from '../../engine/vocabulary/json.ts';
import { codeOf } from '../../engine/vocabulary/thrown-values.ts';

const statuses: Record<string, string> = {
  HPE_INVALID_METHOD: '501 Not Implemented',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

export function answerUnreadable(server: Server): void {
  server.on('clientError', (error: Error, socket: Duplex) => {
    const status = statuses[codeOf(error)] ?? '400 Bad Request';
    // Nothing may follow the beginning of another answer.
    const isAnswered = property(property(socket, '_httpMessage'), '_headerSent') === true;
    if (socket.writable && !isAnswered)
      socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n`);
    socket.destroy(error);
  });
}
