/** Why a model's folder cannot be used: a public clause such as `its scheduler 'X' is not supported.` */
export class UnusableModelError extends Error {}
