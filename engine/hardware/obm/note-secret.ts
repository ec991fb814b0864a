/** Receives each secret used for a BMC, so that it can be scrubbed from the BMC's answers. */
export type NoteSecret = (secret: string) => void;
