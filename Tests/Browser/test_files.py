"""The files suit old browsers and the server's content policy.

Parses the scripts as ES2017 with esprima; Safari 15 supports all of it. Searches for later functions and CSS
features by name. Computes colour contrasts.
"""

import gzip
import itertools
import re
import unittest

import esprima
from scenes import FILES, PAGES, SERVED, SOURCES, imported, whole

# The text of each script and stylesheet, as browsers get it.
SCRIPTS = {name: whole(name).decode() for name in SERVED if name.endswith(".js")}
STYLES = {name: whole(name).decode() for name in SERVED if name.endswith(".css")}

# Later than Safari 15.0.
LATER_FUNCTIONS = [
    r"\.at\(", r"structuredClone", r"hasOwn\(", r"findLast", r"toSorted", r"toReversed",
    r"\.with\(", r"groupBy", r"randomUUID", r"AbortSignal\.timeout", r"replaceAll", r"\(\?<[=!]",
    r"requestIdleCallback", r"fromAsync", r"scheduler\.", r"navigator\.wakeLock",
]
LATER_STYLES = [
    r"color-mix\(", r":has\(", r"\d(dvh|svh|lvh|dvw|svw|lvw|cqw|cqh)\b", r"@container", r"@layer",
    r"@property", r"@scope", r"@starting-style", r"subgrid", r"&", r"oklch\(", r"light-dark\(",
    r"text-wrap", r"accent-color", r"overflow:\s*clip", r"@media[^{]*[<>]", r"\bround\(",
    r":focus-visible", r"animation-timeline", r"backdrop-filter", r"font-palette", r"\bmask:",
]
AS_MARKUP = [r"innerHTML", r"outerHTML", r"insertAdjacentHTML", r"document\.write", r"\beval\(",
             r"new Function", r"\.cssText"]


class FilesTests(unittest.TestCase):
    def test_scripts_are_es2017(self):
        for name, text in SCRIPTS.items():
            with self.subTest(name):
                esprima.parseModule(text)

    def test_no_object_names_a_key_twice(self):
        """The second value would silently replace the first."""
        for name, text in SCRIPTS.items():
            twice = []

            def look(node, _):
                if node.type == "ObjectExpression":
                    keys = [one.key.name or one.key.value for one in node.properties]
                    twice.extend(sorted({key for key in keys if keys.count(key) > 1}))
                return node
            esprima.parseModule(text, delegate=look)
            self.assertEqual(twice, [], name)

    def test_no_function_gets_more_arguments_than_it_takes(self):
        """Additional arguments would be ignored."""
        trees = {name: esprima.parseModule(text, loc=True) for name, text in SCRIPTS.items()}
        taken = {name: dict(functions(tree)) for name, tree in trees.items()}
        found = []
        for name, tree in trees.items():
            known, spaces = dict(taken[name]), {}
            for node in tree.body:
                if node.type != "ImportDeclaration":
                    continue
                source = taken[imported(name, node.source.value)]
                for one in node.specifiers:
                    if one.type == "ImportNamespaceSpecifier":
                        spaces[one.local.name] = source
                    elif one.imported.name in source:
                        known[one.local.name] = source[one.imported.name]
            for call in calls(tree):
                of, callee = known, call.callee
                if callee.type == "MemberExpression" and callee.object.type == "Identifier":
                    of, callee = spaces.get(callee.object.name, {}), callee.property
                most = of.get(callee.name) if callee.type == "Identifier" else None
                if most is not None and len(call.arguments) > most \
                        and not any(one.type == "SpreadElement" for one in call.arguments):
                    found.append(f"{name}:{call.loc.start.line} {callee.name}")
        self.assertEqual(found, [])

    def test_every_exported_function_has_types(self):
        """In JSDoc; editors show them and check calls by them."""
        export = re.compile(r"((?:/\*\*(?:(?!\*/).)*\*/\n)?)export (?:async )?"
                            r"(?:function (\w+)|const (\w+) = (?:\([^=]*\)|\w+) =>)", re.S)
        untyped = [f"{name}: {found[2] or found[3]}" for name, text in SCRIPTS.items()
                   for found in export.finditer(text) if not re.search("@(type|param|returns)", found[1])]
        self.assertEqual(untyped, [])

    def test_no_later_function_is_called(self):
        for (name, text), pattern in itertools.product(SCRIPTS.items(), LATER_FUNCTIONS):
            self.assertIsNone(re.search(pattern, text), f"{name}: {pattern}")

    def test_no_later_style_is_used(self):
        for (name, text), pattern in itertools.product(STYLES.items(), LATER_STYLES):
            rules = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
            self.assertIsNone(re.search(pattern, rules), f"{name}: {pattern}")

    def test_text_is_never_read_as_markup(self):
        for (name, text), pattern in itertools.product(SCRIPTS.items(), AS_MARKUP):
            self.assertIsNone(re.search(pattern, text), f"{name}: {pattern}")

    def test_nothing_is_inline_and_nothing_comes_from_elsewhere(self):
        for path in PAGES.rglob("*.html"):
            page = path.read_text()
            self.assertNotRegex(page, r"<style|style=|\son\w+=|javascript:")
            self.assertEqual(re.findall(r"<script(?![^>]*\bsrc=)", page), [])
        for path in map(PAGES.joinpath, SOURCES):
            found = re.findall(r"https?://[\w./-]+", path.read_text(errors="replace"))
            self.assertEqual([name for name in found if name != "http://www.w3.org/2000/svg"], [],
                             str(path))

    def test_size(self):
        """What a browser loads for each page, with all that its script imports."""
        packed = {name: len(gzip.compress(whole(name))) for name in SERVED}
        print("\npages in kB, compressed:", end="")
        pages = sorted({*FILES.values(), "group/shared.html"})
        for page in pages:
            files = loaded(page)
            size = sum(map(packed.get, files))
            print(f" {page} {size / 1000:.1f} in {len(files)} files;", end="")
            self.assertLess(size, 100_000, page)
        print(f" all {sum(packed.values()) / 1000:.1f}", flush=True)
        # No browser loads all of them.
        self.assertLess(sum(packed.values()), 17_500 * len(pages))
        # All files are embedded in the program.
        self.assertLess(sum((PAGES / name).stat().st_size for name in SOURCES), 47_000 * len(pages))


def loaded(page):
    """The page and all files that it loads, each once."""
    found = [page]
    # Browsers load a PNG icon only to put it on a home screen.
    wanted = [name for name in re.findall(r'"/assets/([\w/.-]+)"', whole(page).decode()) if not name.endswith(".png")]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.append(name)
            wanted += [imported(name, node.source.value) for node in
                       esprima.parseModule(SCRIPTS.get(name, "")).body if node.type == "ImportDeclaration"]
    return found


def functions(tree):
    """Name and number of parameters of each top-level function and class."""
    for node in tree.body:
        node = node.declaration if node.type == "ExportNamedDeclaration" else node
        if node is None:
            continue
        found = []
        if node.type == "FunctionDeclaration":
            found = [(node.id.name, node.params)]
        elif node.type == "ClassDeclaration":
            found = [(node.id.name, one.value.params) for one in node.body.body
                     if one.kind == "constructor"]
        elif node.type == "VariableDeclaration":
            found = [(one.id.name, one.init.params) for one in node.declarations
                     if one.init and one.init.type == "ArrowFunctionExpression"]
        for name, params in found:
            if not any(one.type == "RestElement" for one in params):
                yield name, len(params)


def calls(node):
    """Each call and each `new` below a node."""
    if isinstance(node, list):
        for one in node:
            yield from calls(one)
    elif hasattr(node, "type"):
        if node.type in ("CallExpression", "NewExpression"):
            yield node
        for name, value in vars(node).items():
            if name not in ("loc", "range"):
                yield from calls(value)


# The stylesheets that define the colours, in their first rule.
PALETTES = {"common/base.css", "common/light.css"}


class ContrastTests(unittest.TestCase):
    """WCAG 2.1 AA contrast for small text, on each ground and in both themes."""

    def tokens(self, *names):
        text = "".join((PAGES / name).read_text() for name in names)
        return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6});", text))

    def test_text_on_every_ground(self):
        for name, tokens in (("dark", self.tokens("common/base.css")),
                             ("light", self.tokens("common/base.css", "common/light.css"))):
            for ink in ("text", "soft", "faint", "water", "good", "bad", "warm", "easy",
                        "best"):
                for ground in ("ground", "panel", "raised"):
                    with self.subTest(f"{name}: {ink} on {ground}"):
                        self.assertGreaterEqual(contrast(tokens[ink], tokens[ground]), 4.5)

    def test_text_on_buttons(self):
        for name, tokens in (("dark", self.tokens("common/base.css")),
                             ("light", self.tokens("common/base.css", "common/light.css"))):
            for ground in ("water", "bad"):
                self.assertGreaterEqual(contrast(tokens["on-water"], tokens[ground]), 4.5, name)

    def test_daylight_has_every_colour(self):
        self.assertEqual(set(self.tokens("common/light.css")), set(self.tokens("common/base.css")))

    def test_colours_are_tokens(self):
        for name, text in STYLES.items():
            rules = text.split("}", 1)[1] if name in PALETTES else text
            colours = re.findall(r"#[0-9a-fA-F]{3,8}(?=[;,\s)])(?![^{}]*\{)|rgba?\(", rules)
            self.assertEqual(colours, [], name)


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [int(colour[index:index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
              for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
