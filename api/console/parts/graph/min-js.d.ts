/** A file that is served as it is, by its address. */
declare module '*.min.js' {
  const address: string;
  export default address;
}
