/**
 * A sandbox for templates: QuickJS, a separate JavaScript engine, compiled to WebAssembly. Code in it can access only
 * the memory of its instance; it exchanges strings with the outside.
 *
 * 1. Every template starts in the same state, byte for byte: the memory is reset to the image taken after EJS was
 *    loaded. No template therefore affects the next.
 * 2. Time is limited by a handler that QuickJS calls regularly; memory by the maximum of the
 *    instance's memory, since QuickJS's own limit has no effect in WebAssembly; the stack by QuickJS.
 *    Promises do not run: no code runs their jobs.
 * 3. A sandbox whose memory grew, or in which a template ended without an answer, is `spent`: its owner replaces it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';

const { resolve } = createRequire(import.meta.url);

/** The build without dependencies, which the package does not export. */
const EJS = join(dirname(resolve('ejs')), '..', '..', 'ejs.min.js');

const WASM_PAGE_BYTES = 65_536;
const FIRST_PAGES = 256;
/** 64 MiB. */
const MAX_PAGES = 1_024;
const STACK = 256 * 1_024;
/** ms to load EJS on a busy machine. */
const LOAD_MS = 10_000;
/** Maximum characters of JSON for one character. */
const JSON_FACTOR = 6;

/** Evaluated in the sandbox after EJS; returns the function that renders. Its arguments and result are JSON. */
const inside = `(({ Template }, { parse, stringify }) => {
  const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };
  globalThis.escapeFn = (value) =>
    value === undefined || value === null ? '' : String(value).replace(/[&<>"']/g, (one) => escapes[one]);
  globalThis.include = () => {
    throw new Error('include is not available');
  };
  return (text, variables, length) => {
    const template = new Template(parse(text), { compileDebug: true });
    template.compile();
    const call = new Function('locals', \`
      let __line = 1;
      try {
        return String((() => { \${template.source} })());
      } catch (error) {
        throw 'line ' + __line + ': ' + String((error && error.message) || error);
      }\`);
    const output = call(Object.assign(Object.create(null), parse(variables)));
    if (output.length > length) throw 'its output is longer than ' + length + ' characters';
    return stringify(output);
  };
})(ejs, JSON)`;

export class Sandbox {
  #memory;
  #image;
  #context;
  #render;
  #until = 0;
  #spent = false;

  static async open() {
    const sandbox = new Sandbox();
    await sandbox.#open();
    return sandbox;
  }

  async #open() {
    this.#memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MAX_PAGES });
    const wasm = new WebAssembly.Module(readFileSync(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')));
    const own = newVariant(variant, { wasmModule: wasm, wasmMemory: this.#memory });
    const runtime = (await newQuickJSWASMModuleFromVariant(own)).newRuntime();
    runtime.setMaxStackSize(STACK);
    runtime.setInterruptHandler(() => performance.now() > this.#until);
    this.#context = runtime.newContext();
    this.#until = performance.now() + LOAD_MS;
    const load = (code) => this.#context.unwrapResult(this.#context.evalCode(code));
    load(readFileSync(EJS, 'utf8'));
    this.#render = load(inside);
    const bytes = new Uint8Array(this.#memory.buffer);
    this.#image = bytes.slice(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
  }

  get spent() {
    return this.#spent;
  }

  /**
   * @param variables JSON
   * @param length maximum characters of output
   * @returns the output. @throws a string with the reason
   */
  render(text, variables, timeMs, length) {
    this.#restore();
    this.#until = performance.now() + timeMs;
    const given = [JSON.stringify(text), variables].map((json) => this.#context.newString(json));
    const result = this.#context.callFunction(
      this.#render,
      this.#context.undefined,
      ...given,
      this.#context.newNumber(length),
    );
    // Untrusted: the only operations on the result are to check that it is a string, and to read it.
    const answer = this.#textOf(result.error ?? result.value, JSON_FACTOR * length + 2);
    if (answer === undefined) throw this.#failed();
    if (this.#memory.buffer.byteLength > FIRST_PAGES * WASM_PAGE_BYTES) this.#spent = true;
    if (result.error) throw answer;
    return outputOf(answer);
  }

  #restore() {
    const bytes = new Uint8Array(this.#memory.buffer);
    bytes.set(this.#image);
    bytes.fill(0, this.#image.length);
  }

  #textOf(handle, limit) {
    const context = this.#context;
    if (context.typeof(handle) !== 'string') return undefined;
    return context.getNumber(context.getProp(handle, 'length')) <= limit ? context.getString(handle) : undefined;
  }

  #failed() {
    this.#spent = true;
    return performance.now() > this.#until ? 'it takes too long' : 'it takes too much memory, or its result is invalid';
  }
}

/** Validates the answer: a template can break out of its compiled function and return any string. */
function outputOf(answer) {
  const output = JSON.parse(answer);
  if (typeof output === 'string') return output;
  throw 'its result is invalid';
}
