/** Name of the only cluster: this server. */
export const clusterName = "local";
