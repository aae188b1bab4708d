import Foundation
import Testing

@testable import WebPages

@Suite struct PageFilesTests {
    @Test func embedsEveryFileOfTheFolder() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Services/WebPages/Files")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasPrefix(".") }
        #expect(PageFiles.contents.map(\.name).sorted() == names.sorted())
        for (name, bytes) in PageFiles.contents {
            let file = try Data(contentsOf: folder.appendingPathComponent(name))
            #expect(bytes == Array(file), "\(name)")
        }
    }

    @Test func minifyingRemovesOnlyCommentsAndSpaces() {
        // Compares without any space. Also checks what the minifier relies on: no string over several lines, and
        // no regular expression with a quote or a space. Tests/Browser/test_files.py compares the syntax trees.
        for (name, bytes) in PageFiles.contents
        where name.hasSuffix(".js") || name.hasSuffix(".css") {
            let isScript = name.hasSuffix(".js")
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .map { $0.drop { $0 == " " } }
                .filter { $0.firstMatch(of: isScript ? /^(\/\/|\/\*|\*)/ : /^(\/)\*/) == nil }
            let served = String(decoding: PageText.minified(name, bytes), as: UTF8.self)
            // Neither has semicolons before a closing brace.
            let texts = [served, lines.joined()].map {
                $0.filter { !$0.isWhitespace }.replacing(";}", with: "}")
            }
            #expect(texts[0] == texts[1])
            #expect(served.utf8.count < bytes.count, "\(name)")
            for line in lines {
                #expect(
                    !line.contains("`") && !line.contains(/[(=:,] \/[^\/]*['" ][^\/]*\/[.\])]/),
                    "\(name): \(line)")
            }
        }
    }

    @Test(arguments: [
        ("x.js", "a // b\n  // c\n  d\n\ne", "a//b\nd\ne"),
        ("x.js", "/* a */\n/** b\n * c\n d\n */\ne", "e"),
        ("x.js", "", ""), ("x.js", "//", ""), ("x.css", "//a", "//a"), ("x.html", "// a", "// a"),
        ("x.js", "const a = b + +c - -d + -e;", "const a=b+ +c- -d+-e;"),
        ("x.js", "f('a  b', \"c ' d\", 'e\\' f') ? 1 : -1", "f('a  b',\"c ' d\",'e\\' f')?1:-1"),
        (
            "x.js", "return 'a' in b;\nimport { c } from './d.js';",
            "return'a'in b;import{c}from'./d.js';"
        ),
        ("x.js", "f(a,\n  b);\n}\ng\n  .h", "f(a,b)}\ng.h"), ("x.js", "a = ';}';\nb;", "a=';}';b;"),
        ("x.js", "a\nb {\n c;\n}", "a\nb{c}"), ("x.css", "a { b: c; }", "a{b:c;}"),
        ("x.js", "'\\\\' + 'a b'", "'\\\\'+'a b'"),
        ("x.css", "a b, c > d {\n  e: f(1px + 2px), g h;\n}\n", "a b,c > d{e:f(1px + 2px),g h;}"),
        ("x.css", "a :hover { content: \"b ; c\"; }", "a :hover{content:\"b ; c\";}"),
    ])
    func keepsNeededSpaces(name: String, text: String, minified: String) {
        let found = String(decoding: PageText.minified(name, Array(text.utf8)), as: UTF8.self)
        #expect(found == minified)
    }

    @Test func servesCompletePages() throws {
        let served = PageFiles.served(timeZone: "America/New_York")
        for (name, _) in PageFiles.contents where name.hasSuffix(".html") {
            guard let file = served.first(where: { $0.name == name }) else {
                #expect(PageShell.partFiles.contains(name), "\(name)")
                continue
            }
            let page = String(decoding: file.bytes, as: UTF8.self)
            #expect(!page.contains(/[{}]/), "\(name): \(page)")
            #expect(
                page.hasPrefix(
                    "<!DOCTYPE html>\n<html lang=\"en\" data-zone=\"America/New_York\">\n<head>\n"))
            #expect(page.hasSuffix("</body>\n</html>\n"))
            for tag in ["<head>", "</head>", "<body", "<main>", "<noscript>", "<h1 id=\"title\""] {
                #expect(page.ranges(of: tag).count == 1, "\(name) \(tag)")
            }
            let assets = page.matches(of: /\/assets\/([a-z]+\.[a-z]+)"/).map { String($0.1) }
            #expect(assets.allSatisfy { asset in served.contains { $0.name == asset } }, "\(name)")
            #expect(assets[0...1] == ["icon.svg", "base.css"])
            #expect(assets.suffix(2) == ["light.css", name.replacing(".html", with: ".js")])
        }
    }
}
