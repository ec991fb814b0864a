/**
 * The exports of a CommonJS module, as JSON. The module is evaluated in QuickJS, a separate JavaScript engine in
 * WebAssembly, without files, network and `require`: it can only compute, for a limited time, in limited memory.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { MIB } from '../../../engine/vocabulary/units.ts';

/** Resolves packages beside this one, where the built command finds them too. */
const { resolve } = createRequire(packagePath('package.json'));

/** The part of WebAssembly that is used; its types are those of browsers, which this project does not load. */
interface Wasm {
  Memory: new (limits: { initial: number; maximum: number }) => object;
  Module: new (bytes: Uint8Array) => object;
}

const FIRST_PAGES = 256;
/** 64 MiB. */
const MAX_PAGES = 1_024;
const STACK = 256 * 1_024;
const TIME_MS = 1_000;
const MAX_CHARACTERS = 4 * MIB;

const around = (text: string): string => `(() => {
  const module = { exports: {} };
  const require = (name) => { throw new Error('require(' + JSON.stringify(name) + ') is not available'); };
  (function (module, exports, require) { ${text}
  })(module, module.exports, require);
  return JSON.stringify(module.exports);
})()`;

/** @throws Error with the reason */
export async function exportsOf(text: string): Promise<unknown> {
  const { Memory, Module } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
  const wasmMemory = new Memory({ initial: FIRST_PAGES, maximum: MAX_PAGES });
  const wasmModule = new Module(readFileSync(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')));
  const moduleVariant = newVariant(variant as unknown as QuickJSSyncVariant, { wasmModule, wasmMemory } as never);
  const runtime = (await newQuickJSWASMModuleFromVariant(moduleVariant)).newRuntime();
  runtime.setMaxStackSize(STACK);
  const until = performance.now() + TIME_MS;
  runtime.setInterruptHandler(() => performance.now() > until);
  const context = runtime.newContext();
  // The instance is not used again, so nothing in it is disposed.
  const result = context.evalCode(around(text));
  if (result.error !== undefined) {
    const message = context.getProp(result.error, 'message');
    const said = context.typeof(message) === 'string' ? context.getString(message).slice(0, 200) : 'no message';
    throw new Error(`the module fails: ${performance.now() > until ? 'it takes too long' : said}`);
  }
  if (context.typeof(result.value) !== 'string') throw new Error('the module exports nothing');
  if (context.getNumber(context.getProp(result.value, 'length')) > MAX_CHARACTERS)
    throw new Error('the module exports too much');
  return JSON.parse(context.getString(result.value));
}
