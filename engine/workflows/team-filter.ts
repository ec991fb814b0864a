/** The filter of the store for records that belong to teams. */

/** @param teams absent: all records, also those of the whole site */
export const ownedByTeams = (teams: readonly string[] | undefined) =>
  teams === undefined ? {} : { owner: { $in: [...teams] } };
