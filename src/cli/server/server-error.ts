/** The server answered with an error; the message is its own. */
export class ServerError extends Error {}
