/** Says why the files of a tokenizer cannot be used: a public clause that begins with the file and the field. */
export class TokenizerRefusal extends Error {}
