/** Any code point except surrogates, as in fast-check's strings of unit `binary`, which build a table of all of them first. */
import fc from 'fast-check';

const SURROGATES = { first: 0xd8_00, count: 0x8_00 };

export const codePoint = fc
  .integer({ min: 0, max: 0x10_ff_ff - SURROGATES.count })
  .map((at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count));
