"""The strings of all pages: the same in each language, none missing, none unused.

Reads the scripts with esprima. A script uses a string by its key: `strings.alertsTitle`, or by a value that is
only known in the browser: `strings.commandErrors[code]`.
"""

import collections
import json
import re
import unittest

import esprima
from scenes import PAGES, SCRIPTS

LANGUAGES = {path.stem: json.loads(path.read_text()) for path in sorted((PAGES / "strings").glob("*.json"))}
ENGLISH = LANGUAGES["en"]
# Strings of one page, on top of those of all pages.
SECTIONS = {"club": "clubPage", "gateways": "gatewaysPage", "group": "groupPage", "planner": "plansPage",
            "plans": "plansPage", "race": "racePage", "races": "racesPage"}
# Properties of a text or a list, which are no keys.
MEMBERS = {"replace", "split", "length", "slice", "map", "toLowerCase", "concat"}


def leaves(strings, path=()):
    """Each text of nested objects and lists with its path."""
    if isinstance(strings, str):
        yield path, strings
    else:
        for key, value in strings.items() if isinstance(strings, dict) else enumerate(strings):
            yield from leaves(value, (*path, key))


def nodes(node):
    """Each node of a syntax tree."""
    if isinstance(node, list):
        for one in node:
            yield from nodes(one)
    elif hasattr(node, "type"):
        yield node
        for value in vars(node).values():
            yield from nodes(value)


def name_of(node):
    """`strings` for `strings`, `this.strings` and `view.strings`."""
    if node.type == "MemberExpression":
        return None if node.computed else node.property.name
    return node.name if node.type == "Identifier" else None


class Uses:
    """What the scripts read of the strings."""

    def __init__(self):
        # All properties that are read and all texts in the scripts; the objects that are read by a value.
        self.names, self.dynamic = set(), set()
        # By script: the keys read from `strings`, and from `raceStrings`.
        self.keys = collections.defaultdict(set)
        for script in SCRIPTS:
            for node in nodes(esprima.parseModule((PAGES / script).read_text()).body):
                self.add(script, node)

    def add(self, script, node):
        if node.type == "Literal" and isinstance(node.value, str):
            self.names.add(node.value)
        elif node.type == "ObjectPattern":
            self.names.update(one.key.name for one in node.properties)
        elif node.type == "MemberExpression":
            self.names.add(name_of(node))
        if node.type == "MemberExpression" and node.computed:
            self.dynamic.add(name_of(node.object))
        elif node.type == "MemberExpression" and name_of(node.object) in ("strings", "raceStrings"):
            self.keys[script, name_of(node.object)].add((node.property.name,))
        elif node.type == "MemberExpression" and node.object.type == "MemberExpression" \
                and name_of(node.object.object) in ("strings", "raceStrings"):
            if name_of(node.object) and node.property.name not in MEMBERS:
                self.keys[script, name_of(node.object.object)].add((name_of(node.object), node.property.name))
        elif node.type == "VariableDeclarator" and node.id.type == "ObjectPattern" and node.init \
                and name_of(node.init) in ("strings", "raceStrings"):
            self.keys[script, name_of(node.init)].update((one.key.name,) for one in node.id.properties)


class StringsTests(unittest.TestCase):
    def test_every_language_has_the_same_keys_and_placeholders(self):
        shapes = {language: {path: text.count("{}") for path, text in leaves(strings)}
                  for language, strings in LANGUAGES.items()}
        for language, shape in shapes.items():
            self.assertEqual(sorted(map(str, shapes["en"].keys() ^ shape.keys())), [], language)
            self.assertEqual({path: count for path, count in shape.items() if count != shapes["en"][path]},
                             {}, language)

    def test_no_text_is_empty_by_accident(self):
        """Only a list may have an empty text, in the place of a text that does not exist."""
        for language, strings in LANGUAGES.items():
            empty = [path for path, text in leaves(strings) if not text.strip() and isinstance(path[-1], str)]
            self.assertEqual(empty, [], language)

    def test_no_string_is_missing(self):
        uses, missing = Uses(), []
        self.assertGreater(sum(map(len, uses.keys.values())), 600)
        shared = (PAGES / "common/strings.js").read_text()
        common = set(re.findall(r"(?m)(\w+): ", shared[shared.index("const common"):shared.index("};")]))
        for (script, name), paths in sorted(uses.keys.items()):
            section = ENGLISH.get(SECTIONS.get(script.partition("/")[0], ""), {})
            status = {**ENGLISH["pageStatus"], **section.get("pageStatus", {})}
            known = ENGLISH["racePage"] if name == "raceStrings" else \
                {**ENGLISH, **section, "pageStatus": status}
            for first, *rest in sorted(paths):
                found = known.get(first)
                if first not in common and (found is None or isinstance(found, dict) and rest
                                            and rest[0] not in found):
                    missing.append(f"{script}: {name}.{'.'.join([first, *rest])}")
        self.assertEqual(missing, [])

    def test_no_string_is_unused(self):
        uses = Uses()
        unused = set()
        for path, _ in leaves(ENGLISH):
            keys = [key for key in path if isinstance(key, str)]
            if keys[-1] not in uses.names and not uses.dynamic.intersection(keys[:-1]):
                unused.add(".".join(keys))
        self.assertEqual(sorted(unused), [])


if __name__ == "__main__":
    unittest.main()
