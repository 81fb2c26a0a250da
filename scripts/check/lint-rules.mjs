/** Rules of the linter that oxlint does not have: what code must not say, as selectors of ESLint. .oxlintrc.json says where each holds. */

/** @typedef {{ report(problem: { node: object, message: string }): void }} Context */

/**
 * @param {string} message what to do instead
 * @param {readonly string[]} selectors
 */
function forbid(message, ...selectors) {
  return {
    /** @param {Context} context */
    create(context) {
      const report = (/** @type {object} */ node) => context.report({ node, message });
      return Object.fromEntries(selectors.map((selector) => [selector, report]));
    },
  };
}

/**
 * `object.name`, `object["name"]`, `globalThis.object.name` and `const { name } = object`.
 * @param {string} object a name, or a regular expression of names
 * @param {string} name likewise
 */
function member(object, name) {
  return [
    `MemberExpression:matches([object.name=${object}], [object.property.name=${object}]):matches([property.name=${name}], [property.value=${name}])`,
    `VariableDeclarator[init.name=${object}] > ObjectPattern > Property[key.name=${name}]`,
  ];
}

/** @param {string} name a regular expression of names that a module of Node.js exports */
function imported(name) {
  return `ImportDeclaration[source.value=/^(node:)?(crypto|perf_hooks|process)$/] > ImportSpecifier[imported.name=${name}]`;
}

// oxlint-disable-next-line no-restricted-exports -- oxlint loads the default export of a plugin.
export default {
  meta: { name: "hearth" },
  rules: {
    time: forbid(
      "Take a Clock as a parameter.",
      ...member("/^(Date|performance)$/", "now"),
      ...member("process", "hrtime"),
      "NewExpression[callee.name=Date][arguments.length=0]",
      "CallExpression[callee.name=Date]",
      imported("/^(performance|hrtime)$/"),
    ),
    chance: forbid(
      "Take a Random as a parameter.",
      ...member("Math", "random"),
      ...member("crypto", "/^(getRandomValues|randomUUID)$/"),
      imported("/^(getRandomValues|random(Bytes|Int|UUID))$/"),
    ),
    environment: forbid("Take a Config as a parameter.", ...member("process", "env"), imported("env")),
    "every-test-runs": forbid(
      "Where a test cannot run, `it.runIf` says so, and the name of its suite says why.",
      "MemberExpression:matches([object.name=/^(it|test|describe)$/], [object.object.name=/^(it|test|describe)$/])[property.name=/^(skip|skipIf|todo|only|fails)$/]",
    ),
    sql: forbid(
      "Write the statement as a template of `sql`, whose values are parameters.",
      "CallExpression[callee.property.name=/^(exec|prepare|pragma|query|unsafe)$/] > :matches(TemplateLiteral[expressions.length>0], BinaryExpression[operator='+']).arguments:first-child",
      "CallExpression[callee.object.name=/^(sql|CompiledQuery)$/][callee.property.name=raw] > .arguments:first-child:not(Literal, TemplateLiteral[expressions.length=0], ConditionalExpression[consequent.type=Literal][alternate.type=Literal])",
    ),
  },
};
