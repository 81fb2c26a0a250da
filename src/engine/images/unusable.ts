/** Why a folder cannot be drawn with: a public clause such as `its scheduler 'X' is not supported.` */
export class Unusable extends Error {}
