/** The words of a kernel's command line. */

/** @returns the value of the last word `name=value`; '' without one */
export const kernelWord = (cmdline: string, name: string): string =>
  cmdline
    .split(/\s+/)
    .findLast((word) => word.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';
