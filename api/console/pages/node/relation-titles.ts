/** Relations in plain words: after the name of the node, before that of the other. */
const titles: Readonly<Record<string, string>> = {
  contains: 'contains',
  containedBy: 'is in',
  encloses: 'encloses',
  enclosedBy: 'is enclosed by',
  powers: 'powers',
  poweredBy: 'is powered by',
  manages: 'manages',
  managedBy: 'is managed by',
};

export const relationTypes: readonly string[] = Object.keys(titles);
export const relationTitle = (type: string): string => titles[type] ?? type;
