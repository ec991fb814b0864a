/** Sizes in words. */
const DECIMAL = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

const inUnits = (bytes: number, units: readonly string[], step: number): string => {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(step) + 1e-9), units.length - 1);
  return `${Number((bytes / step ** power).toPrecision(3))} ${units[power]}`;
};

/** In the decimal units that labels of drives have. */
export const sizeText = (bytes: number): string => inUnits(bytes, DECIMAL, 1_000);

/** In the binary units that memory has. */
export const memoryText = (bytes: number): string => inUnits(bytes, BINARY, 1_024);
