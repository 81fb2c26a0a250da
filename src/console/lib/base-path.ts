/** What addresses of the server have before `/console`, such as `/hearth`; empty where there is nothing. The address of this script has it. */
export const basePath = /^(.*)\/console\/assets\//.exec(new URL(import.meta.url).pathname)?.[1] ?? "";

/** The address of the server, without a slash at its end. */
export const serverAddress = location.origin + basePath;
