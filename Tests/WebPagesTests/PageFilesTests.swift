import Foundation
import Testing

@testable import WebPages

@Suite struct PageFilesTests {
    @Test func everyFileOfTheFolderIsServedAsItIs() throws {
        // Goal: no page lacks a file, and none is out of date. Method: the folder beside the program.
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

    @Test func browsersGetWhatIsNoComment() {
        // Goal: a phone loads no comment and no space that nobody needs, and misses nothing else. Method: each
        // script and stylesheet beside its lines that are no comments, both without any space; no quotes
        // that a line's end could be within, and no regular expression with what spaces go by. That a script
        // means the same is the parser's of Tests/Browser to say.
        for (name, bytes) in PageFiles.contents
        where name.hasSuffix(".js") || name.hasSuffix(".css") {
            let isScript = name.hasSuffix(".js")
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .map { $0.drop { $0 == " " } }
                .filter { $0.firstMatch(of: isScript ? /^(\/\/|\/\*|\*)/ : /^(\/)\*/) == nil }
            let served = String(decoding: PageText.served(name, bytes), as: UTF8.self)
            #expect(
                served.filter { !$0.isWhitespace } == lines.joined().filter { !$0.isWhitespace })
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
            "return'a'in b;\nimport{c}from'./d.js';"
        ),
        ("x.js", "'\\\\' + 'a b'", "'\\\\'+'a b'"),
        ("x.css", "a b, c > d {\n  e: f(1px + 2px), g h;\n}\n", "a b,c > d{e:f(1px + 2px),g h;}"),
        ("x.css", "a :hover { content: \"b ; c\"; }", "a :hover{content:\"b ; c\";}"),
    ])
    func aSpaceStaysWhereItIsNeeded(name: String, text: String, served: String) {
        // Goal: nothing changes its meaning. Method: each case in which a space, a line's end or a comment
        // goes, and each in which it stays.
        let found = String(decoding: PageText.served(name, Array(text.utf8)), as: UTF8.self)
        #expect(found == served)
    }

    @Test func everyPageIsWhole() throws {
        // Goal: a browser without JavaScript reads a page as one with. Method: each page as it is served,
        // its order, its stylesheets and its script; the parts alone are at no address.
        let served = PageFiles.served(timeZone: "America/New_York")
        for (name, _) in PageFiles.contents where name.hasSuffix(".html") {
            guard let file = served.first(where: { $0.name == name }) else {
                #expect(PageShell.parts.contains(name), "\(name)")
                continue
            }
            let page = String(decoding: file.bytes, as: UTF8.self)
            #expect(!page.contains(/[{}]/), "\(name): \(page)")
            #expect(page.hasPrefix(
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
