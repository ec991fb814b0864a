/** Is told each secret that was used for a BMC: it may stand in what the BMC answers. */
export type NoteSecret = (secret: string) => void;
