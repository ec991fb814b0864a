/**
 * Counts the values of a JSON text, and the keys of each object, as its bytes arrive, so that one with too many is rejected before
 * the parser sees it. On a text that is not JSON the count is right up to the place where the parser stops.
 */
const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
/** The brackets of lists and objects differ in one bit. */
const [OPEN, CLOSE, KIND] = [0x5b, 0x5d, 0x20];
const SPACE = 0x20;

/** The most keys of one object: the parser takes 300 ms for ten times as many different ones. */
export const OBJECT_KEYS = 20_000;

export class JsonCount {
  /** The text itself is one. */
  values = 1;
  /** Levels of the deepest value. */
  deepest = 0;
  /** Keys of the object that has most. */
  widest = 0;
  #depth = 0;
  /** Keys of the open objects, by depth. */
  readonly #keys: number[] = [];
  #inText = false;
  #isEscaped = false;
  /** After an opening bracket: an empty list or object has no value. */
  #isOpened = false;

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#inText) at = this.#text(bytes, at);
      else this.#mark(bytes[at] as number);
    }
  }

  /** @returns the position of the end of the text, or of the bytes */
  #text(bytes: Uint8Array, from: number): number {
    let isEscaped = this.#isEscaped;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        this.#inText = false;
        break;
      }
    }
    this.#isEscaped = isEscaped;
    return at;
  }

  #mark(byte: number): void {
    if (byte <= SPACE) return;
    const bracket = byte & ~KIND;
    if (this.#isOpened && bracket !== CLOSE) this.values += 1;
    this.#isOpened = bracket === OPEN;
    if (byte === QUOTE) this.#inText = true;
    else if (byte === COMMA) this.values += 1;
    else if (byte === COLON) this.#key();
    else if (bracket === OPEN) this.#open();
    else if (bracket === CLOSE) this.#depth = Math.max(0, this.#depth - 1);
  }

  #open(): void {
    this.#depth += 1;
    this.#keys[this.#depth] = 0;
    this.deepest = Math.max(this.deepest, this.#depth);
  }

  /** Outside of a text, a colon follows a key. */
  #key(): void {
    const keys = (this.#keys[this.#depth] ?? 0) + 1;
    this.#keys[this.#depth] = keys;
    this.widest = Math.max(this.widest, keys);
  }
}
