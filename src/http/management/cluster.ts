/** This server, which is all the cluster there is. */
export const clusterName = "local";
