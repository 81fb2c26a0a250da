/** Rule 1: a route is declared once, in the folder of its plane. */
import { sourceFiles } from "./source-files.js";

const planes = /^src\/http\/(inference|management|ollama|console|about)\//;

/** Returns the declarations of routes outside the planes, and the routes that are declared twice. */
export function findRouteViolations(root: string): readonly string[] {
  const declared = sourceFiles(root, "src", /\.ts$/).flatMap(({ path: file, text }) =>
    [...text.matchAll(/\bmethod: "(\w+)",\s*path: ["`](\/[^"`]*)["`]/g)].map(([, method, url]) => ({
      file,
      route: `${method} ${url}`,
    })),
  );
  const seen = new Map<string, string>();
  return declared.flatMap(({ file, route }) => {
    const first = seen.get(route);
    seen.set(route, file);
    if (!planes.test(file)) return [`${file} declares ${route} outside the planes of src/http`];
    return first === undefined || first === file ? [] : [`${file} and ${first} declare ${route}`];
  });
}
