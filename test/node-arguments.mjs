/**
 * The arguments of Node.js for processes of tests. These end soon: optimizing code takes longer than most of them, and so does
 * collecting a heap while it grows to the size that the process needs.
 *
 * @param version of Node.js; V8 has the interrupt budget up to Node.js 20
 */
export const shortLived = (version = process.version) => [
  // WebAssembly is that of the sandbox for templates.
  '--liftoff-only',
  '--initial-heap-size=200',
  ...(version.startsWith('v20.') ? ['--interrupt-budget=600000'] : []),
];
