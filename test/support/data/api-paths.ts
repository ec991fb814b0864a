/** Paths of the API that many tests request. */
export const API_PATH = '/api/current';
export const NODES_PATH = `${API_PATH}/nodes`;
export const SESSIONS_PATH = '/redfish/v1/SessionService/Sessions';
