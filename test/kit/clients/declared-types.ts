/** Reads the types that clients' packages declare, by TypeScript's own compiler. */
import ts from "typescript";

/** A type that an installed package exports. */
export interface DeclaredType {
  /** Module specifier. */
  readonly from: string;
  readonly name: string;
}

/** Types of one program, in the order in which they were named. */
export interface ReadTypes {
  readonly checker: ts.TypeChecker;
  readonly types: readonly ts.Type[];
}

/** Reads types of installed packages. @throws Error where a package has no such type */
export function readTypes(types: readonly DeclaredType[]): ReadTypes {
  const file = `${process.cwd()}/test/types-of-clients.ts`;
  const source = types.map(
    ({ from, name }, index) =>
      `import type { ${name} as T${index} } from "${from}"; export type E${index} = T${index};`,
  );
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    skipLibCheck: true,
    types: [],
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) =>
    path === file
      ? ts.createSourceFile(path, source.join("\n"), ts.ScriptTarget.ES2022, true)
      : read(path, ...rest);
  const program = ts.createProgram([file], options, host);
  const checker = program.getTypeChecker();
  const root = program.getSourceFile(file);
  const declared = root?.statements.filter((each) => ts.isTypeAliasDeclaration(each)) ?? [];
  const found = declared.map((alias) => checker.getTypeAtLocation(alias));
  const missing = types.filter((_, index) => ((found[index]?.flags ?? 0) & ts.TypeFlags.Any) !== 0);
  if (missing.length > 0)
    throw new Error(`no such types: ${missing.map(({ from, name }) => `${name} of ${from}`).join(", ")}`);
  return { checker, types: found };
}

/** Returns the type of the elements of an array; null: it is no array. */
export function readElementType(type: ts.Type, checker: ts.TypeChecker): ts.Type | null {
  if (!checker.isArrayLikeType(type)) return null;
  return checker.getTypeArguments(type as ts.TypeReference)[0] ?? null;
}

/** Names an alternative by its literal, by the `type` or `role` of its objects, or as TypeScript does. */
export function nameAlternative(type: ts.Type, checker: ts.TypeChecker): string {
  for (const key of ["type", "role"]) {
    const tag = type.getProperty(key);
    const tagType = tag === undefined ? undefined : checker.getTypeOfSymbol(tag);
    if (tagType?.isStringLiteral() === true) return tagType.value;
  }
  return checker.typeToString(type).slice(0, 60);
}
