/** Templates that try to escape the sandbox, or to exhaust time and memory. */

/** Each prints what it reached, which may only be objects of the sandbox. */
const routes = [
  'this',
  'globalThis',
  'locals',
  'locals.name',
  'escapeFn',
  'include',
  '__append',
  '(() => {})',
  '(async () => {})',
  '(function* () {})',
  '(async function* () {})',
  'class {}',
  '[]',
  '/x/',
  'Symbol.iterator',
  'new Proxy({}, {})',
  'new Error()',
  'Reflect',
  'JSON',
  'Promise.resolve()',
  'new WeakRef({})',
  'new (class extends Function {})()',
];
const kinds = ['process', 'require', 'fetch', 'WebAssembly', 'importScripts', 'Buffer', 'console'].map(
  (name) => `typeof ${name}`,
);
const reached = (code: string) =>
  `(() => {
    const found = ${code};
    const made = found?.constructor?.constructor ?? found?.constructor;
    const answer = made("return [${kinds}].join()");
    return typeof answer === "function" ? answer() : "none";
  })()`;

/** Each must print `undefined` for everything, or fail to render. */
export const escapes: readonly string[] = [
  ...routes.map((route) => `<%= ${reached(route)} %>`),
  '<%= [typeof process, typeof require, typeof fetch, typeof module, typeof WebAssembly] %>',
  '<%= (0, eval)("typeof process") %>',
  '<%= new Function("return typeof process")() %>',
  '<%= Object.getPrototypeOf(async function () {}).constructor("return typeof process")().constructor.name.slice(9) || "undefined" %>',
  '<% try { null.f() } catch (e) { %><%= e.constructor.constructor("return typeof process")() %><% } %>',
  '<%= Error.prepareStackTrace === undefined ? "undefined" : typeof Error.prepareStackTrace %>',
];

/** Each must be rejected. */
export const rejected: Readonly<Record<string, string>> = {
  'a dynamic import': '<% const m = await import("node:fs") %>',
  'an import statement': '<% import fs from "node:fs" %>',
  require: '<%= require("child_process").execSync("id") %>',
  include: '<%- include("/etc/passwd") %>',
  'a mode of EJS that includes files': '<% include /etc/passwd %>',
  process: '<%= process.env.HOME %>',
  'an endless loop': '<% for (;;) {} %>',
  'an endless loop that catches everything': '<% for (;;) try { for (;;) {} } catch {} %>',
  'an endless loop in finally': '<% try { throw 1 } finally { for (;;) {} } %>',
  'an endless generator': '<% function* g() { for (;;) yield 1 } for (const x of g()) {} %>',
  'a generator that delegates to itself': '<% function* g() { yield* g() } [...g()] %>',
  'an endless getter of what is printed': '<%= { get toString() { for (;;); } } %>',
  'an endless toString': '<%= { toString() { for (;;); } } %>',
  'an endless Symbol.toPrimitive': '<%= { [Symbol.toPrimitive]() { for (;;); } } %>',
  'an endless proxy': '<%= new Proxy({}, { get() { for (;;); } }) %>',
  'a thrown endless getter': '<% throw { get message() { for (;;); } } %>',
  'a thrown proxy': '<% throw new Proxy({}, { get() { throw new Proxy({}, { get() { for (;;); } }) } }) %>',
  'a regular expression that backtracks': '<%= /^(a+)+$/.test("a".repeat(50) + "b") %>',
  'a regular expression that is large': '<%= new RegExp("(a{1000}){1000}{1000}").test("a".repeat(1e6)) %>',
  'a regular expression that is deep': '<%= new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("a") %>',
  'a replacement that grows': '<%= "a".repeat(1e5).replace(/a/g, "$`$\'").length %>',
  'a built-in function that takes for ever': '<%= Array.prototype.indexOf.call({ length: 2 ** 50 }, 1) %>',
  'a join without end': '<%= Array.prototype.join.call({ length: 2 ** 32 - 2 }, "") %>',
  'a sort of much': '<%= new Array(3e7).fill(0).map(Math.random).sort().length %>',
  'a large number': '<% let x = 3n ** 100000n; for (;;) x = x * x %>',
  'a list that is filled': '<%= new Array(2e9).fill(1).length %>',
  'a list that grows': '<% const all = []; for (;;) all.push(new Array(1e5).fill(1)) %>',
  'a list that grows and catches everything':
    '<% const all = []; for (;;) try { for (;;) all.push("x".repeat(1e5) + all.length) } catch {} %>',
  'a text that doubles': '<% let s = "a"; for (;;) s += s %>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the template's own
  'a template literal that doubles': '<% let s = "a"; for (;;) s = `${s}${s}` %>',
  'a typed array': '<%= new Uint8Array(2 ** 31).length %>',
  'a map that grows': '<% const m = new Map(); for (let n = 0; ; n++) m.set(n, [n]) %>',
  'an escape of 5e7 characters': '<%= "<".repeat(5e7) %>',
  'an output that is huge': '<%- "x".repeat(5e6) %>',
  'an output that grows without end': '<% for (;;) { %>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx<% } %>',
  'an output that grows behind the back of EJS': '<% for (;;) __output += "xxxxxxxxxxxxxxx" %>',
  'a recursion': '<% const f = () => f() + 1; f() %>',
  'a recursion of getters': '<% const o = { get a() { return this.a } }; o.a %>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the template's own
  'a recursion of toString': '<% const o = { toString() { return `${this}` } }; `${o}` %>',
  'a recursion that catches everything': '<% const f = () => { try { f() } finally { f() } }; f() %>',
  'deep JSON': '<%= JSON.parse("[".repeat(1e6)) %>',
  'a deep object as JSON':
    '<% let o = {}; for (let i = 0; i < 1e5; i++) o = { o } %><%= JSON.stringify(o).length.x.y %>',
  'a deep chain of proxies': '<% let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}) %><%= p.x.y %>',
  'deep code': `<%= ${'('.repeat(50_000)}1${')'.repeat(50_000)} %>`,
  'deep brackets': `<%= ${'['.repeat(50_000)} %>`,
  'a delimiter without an end': '<% if (true) { ',
  'a delimiter without a beginning': 'a %> <%',
  'a body that closes its function': '<% } })()); throw { toString() { for (;;); } }; ((() => { { %>',
  'a body that gives back no text': '<% } })()); return { length: 1 }; String((() => { with ({}) { %>',
  'a body that gives back another text': '<% } })()); return "{"; String((() => { with ({}) { %>',
  'a body that is another script': '*/ %> <% }}}}); for (;;) {} (() => { %>',
  'poisoned functions that EJS uses': '<% String.prototype.replace = () => { for (;;); } %><%= "<" %>',
  'a debugger that is left': '<% throw new Error("x".repeat(1e6)) %>',
};

/** Each may render or fail; the next template must not see any effect. */
export const poisons: readonly string[] = [
  '<% globalThis.String = () => ({ get length() { for (;;); } }) %>',
  '<% globalThis.String = () => ({ length: 1, replace() { return this } }) %><%= "<" %>',
  '<%= Symbol("x") %>',
  '<% Object.prototype.polluted = 1; Object.prototype.toString = () => "bad" %>',
  '<% Array.prototype.join = () => "bad"; Array.prototype[Symbol.iterator] = null %>',
  '<% String.prototype.replace = () => "bad"; String.prototype.slice = () => "bad" %>',
  '<% RegExp.prototype.exec = () => null; RegExp.prototype[Symbol.replace] = () => "bad" %>',
  '<% JSON.stringify = () => "\\"bad\\""; JSON.parse = () => ({ name: "bad" }) %>',
  '<% Function.prototype.call = Function.prototype.apply = () => "bad" %>',
  '<% globalThis.escapeFn = () => "bad"; globalThis.ejs = null; globalThis.String = () => "bad" %>',
  '<% Object.assign = () => ({ name: "bad" }); Object.create = () => null; Object.freeze(globalThis) %>',
  '<% Object.defineProperty(Object.prototype, "name", { get: () => "bad", set() {} }) %>',
  '<% locals.__proto__ = { name: "bad" }; locals.constructor = 1; with (locals) { name = "bad" } %>',
  '<% Promise.resolve().then(function again() { Promise.resolve().then(again) }) %>',
  '<% Promise.prototype.then = () => { for (;;); }; (async () => { for (;;) await null })() %>',
  '<% new Promise(() => {}); Promise.reject(new Error("unhandled on purpose")) %>',
  '<% globalThis.kept = new Array(1e6).fill("x") %>',
  '<% new FinalizationRegistry(() => { for (;;); }).register({}, 1) %>',
  '<% Symbol.toPrimitive; Object.prototype.then = (f) => f("bad") %>',
  '<% class A { static { globalThis.undefinedName = "bad" } } %>',
  '<% delete globalThis.Object; delete globalThis.JSON; delete globalThis.Function %>',
];
