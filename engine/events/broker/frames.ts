/**
 * Encodes messages as AMQP 0-9-1 frames (specification, 4.2): `basic.publish`, the content header, the content. The
 * frames of many messages lie in one buffer, so that they are one write to the socket.
 */

/** A message for one exchange. All are persistent JSON. */
export interface Message {
  id: string;
  /** At most 255 bytes. */
  key: string;
  text: string;
  /** Bytes of `text` in UTF-8. */
  size: number;
  /** Such as `graph.finished`: at most 255 bytes. */
  type: string;
  /** Seconds since 1970. */
  timestamp: number;
}

/** AMQP's limit for short strings. */
export const SHORT_BYTES = 255;
/** New buffers have this size, unless one message needs more. */
const SLAB_BYTES = 64 * 1024;
const METHOD = 1;
const HEADER = 2;
const BODY = 3;
const FRAME_END = 0xce;
/** Type, channel, size and end of a frame. */
const OVERHEAD = 8;
const BASIC = 60;
const PUBLISH = 40;
/** The properties that follow: content type, delivery mode, message id, timestamp, type, app id. */
const FLAGS = 0x8000 | 0x1000 | 0x0080 | 0x0040 | 0x0020 | 0x0008;
const PERSISTENT = 2;
const CONTENT_TYPE = shortString('application/json');
const APP_ID = shortString('nodewright');
const TWO_32 = 2 ** 32;

export class Frames {
  readonly #channel: number;
  readonly #bodyMax: number;
  readonly #exchange: Buffer;
  #slab = Buffer.alloc(0);
  #used = 0;
  #full: Buffer[] = [];

  /** @param frameMax bytes of a frame, as the broker and the client agreed */
  constructor(channel: number, frameMax: number, exchange: string) {
    this.#channel = channel;
    this.#bodyMax = frameMax - OVERHEAD;
    this.#exchange = shortString(exchange);
  }

  add({ id, key, text, size, type, timestamp }: Message): void {
    const keyBytes = Buffer.byteLength(key);
    const idBytes = Buffer.byteLength(id);
    const typeBytes = Buffer.byteLength(type);
    if (Math.max(keyBytes, idBytes, typeBytes) > SHORT_BYTES)
      throw new Error(`AMQP: a key, an id or a type exceeds ${SHORT_BYTES} bytes`);
    const methodSize = 7 + this.#exchange.length + keyBytes + 1;
    const headerSize = 14 + CONTENT_TYPE.length + 1 + 1 + idBytes + 8 + 1 + typeBytes + APP_ID.length;
    this.#reserve(methodSize + headerSize + size + OVERHEAD * (2 + Math.ceil(size / this.#bodyMax)));
    this.#begin(METHOD, methodSize);
    this.#int16(BASIC);
    this.#int16(PUBLISH);
    this.#int16(0); // reserved
    this.#copy(this.#exchange);
    this.#string(key, keyBytes);
    this.#int8(0); // neither mandatory nor immediate
    this.#int8(FRAME_END);
    this.#begin(HEADER, headerSize);
    this.#int16(BASIC);
    this.#int16(0); // weight, unused
    this.#int32(Math.floor(size / TWO_32));
    this.#int32(size % TWO_32);
    this.#int16(FLAGS);
    this.#copy(CONTENT_TYPE);
    this.#int8(PERSISTENT);
    this.#string(id, idBytes);
    this.#int32(Math.floor(timestamp / TWO_32));
    this.#int32(timestamp % TWO_32);
    this.#string(type, typeBytes);
    this.#copy(APP_ID);
    this.#int8(FRAME_END);
    if (size <= this.#bodyMax) this.#body(text, size);
    else this.#bodies(Buffer.from(text));
  }

  /** Returns the frames that were added since the last call, usually as one buffer. */
  take(): Buffer[] {
    const taken = this.#full;
    this.#full = [];
    if (this.#used > 0) taken.push(this.#slab.subarray(0, this.#used));
    this.#slab = this.#slab.subarray(this.#used);
    this.#used = 0;
    return taken;
  }

  #reserve(bytes: number): void {
    if (this.#slab.length - this.#used >= bytes) return;
    if (this.#used > 0) this.#full.push(this.#slab.subarray(0, this.#used));
    this.#slab = Buffer.allocUnsafe(Math.max(SLAB_BYTES, bytes));
    this.#used = 0;
  }

  /** An empty content has no frame. */
  #body(text: string, size: number): void {
    if (size === 0) return;
    this.#begin(BODY, size);
    this.#used += this.#slab.write(text, this.#used);
    this.#int8(FRAME_END);
  }

  #bodies(content: Buffer): void {
    for (let from = 0; from < content.length; from += this.#bodyMax) {
      const part = content.subarray(from, from + this.#bodyMax);
      this.#begin(BODY, part.length);
      this.#copy(part);
      this.#int8(FRAME_END);
    }
  }

  #begin(type: number, size: number): void {
    this.#int8(type);
    this.#int16(this.#channel);
    this.#int32(size);
  }

  #int8(value: number): void {
    this.#slab[this.#used++] = value;
  }

  #int16(value: number): void {
    this.#int8(value >>> 8);
    this.#int8(value);
  }

  #int32(value: number): void {
    this.#int16(value >>> 16);
    this.#int16(value);
  }

  #string(text: string, bytes: number): void {
    this.#int8(bytes);
    this.#used += this.#slab.write(text, this.#used);
  }

  #copy(bytes: Buffer): void {
    this.#used += bytes.copy(this.#slab, this.#used);
  }
}

function shortString(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}
