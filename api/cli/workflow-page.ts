/** @param origin of the console @returns the address of the page of a workflow */
export const workflowPage = (origin: string, id: string): string => `${origin}/ui/workflows/${encodeURIComponent(id)}`;
