// Given the library, a function of a template and its arguments as JSON: T and the text, or E and what the template
// says. A template is parsed once.
(function (jinja) {
  // What str.isspace of Python holds for; trim of JavaScript takes U+FEFF too, and leaves some of these.
  const SPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    + "\u200a\u2028\u2029\u202f\u205f\u3000";
  const ENDS = {strip: [true, true], lstrip: [true, false], rstrip: [false, true]};

  // Python's str.strip and its like, with the characters that they take off: the library's methods ignore these.
  function strip(name) {
    const [left, right] = ENDS[name];
    return function (text, characters) {
      if (typeof text !== "string") throw new Error(name + " needs a string");
      const points = Array.from(text);
      const off = new Set(Array.from(typeof characters === "string" ? characters : SPACE));
      let start = 0, end = points.length;
      while (left && start < end && off.has(points[start])) start++;
      while (right && end > start && off.has(points[end - 1])) end--;
      return points.slice(start, end).join("");
    };
  }

  // No name of a template's begins with a blank.
  const own = (name) => ({type: "Identifier", value: " " + name});
  const call = (name, args) => ({type: "CallExpression", callee: own(name), args});

  // The tree of a template in which strip and its like, as methods and as the filter trim, are those above.
  function pythonic(node) {
    if (Array.isArray(node)) return node.map(pythonic);
    if (node instanceof Map) return new Map(Array.from(node, pythonic));
    if (node === null || typeof node !== "object") return node;
    for (const key of Object.keys(node)) node[key] = pythonic(node[key]);
    const method = node.type === "CallExpression" && node.callee.type === "MemberExpression" && !node.callee.computed
      ? node.callee.property.value : undefined;
    if (Object.hasOwn(ENDS, method)) return call(method, [node.callee.object, ...node.args]);
    if (node.type === "FilterExpression") {
      const filter = node.filter.type === "CallExpression" ? node.filter.callee : node.filter;
      if (filter.value === "trim") return call("strip", [node.operand, ...(node.filter.args ?? [])]);
    }
    return node;
  }

  const functions = Object.fromEntries(Object.keys(ENDS).map((name) => [" " + name, strip(name)]));
  const parsed = new Map();
  return function (text, given) {
    try {
      if (!parsed.has(text)) {
        const template = new jinja.Template(text);
        template.parsed = pythonic(template.parsed);
        parsed.set(text, template);
      }
      return "T" + parsed.get(text).render({...JSON.parse(given), ...functions});
    } catch (e) {
      return "E" + (e && e.message !== undefined ? e.message : e);
    }
  };
})
