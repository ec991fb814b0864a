/** A shell script as text: esbuild puts it into the bundle of each definition that imports it. */
declare module '*.sh' {
  const text: string;
  export default text;
}
