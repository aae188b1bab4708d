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
        // Goal: a phone loads no comment and no indentation, and misses no line. Method: each script and
        // stylesheet; what went is empty or begins as a comment does, and nothing that stayed does; then
        // texts with each form of it, and no quotes that a line's end could be within.
        for (name, bytes) in PageFiles.contents
        where name.hasSuffix(".js") || name.hasSuffix(".css") {
            let isScript = name.hasSuffix(".js")
            var served = String(decoding: PageText.served(name, bytes), as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false)[...]
            for line in String(decoding: bytes, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false)
            {
                let text = line.drop { $0 == " " }
                let isComment =
                    text.firstMatch(of: isScript ? /^(\/\/|\/\*|\*)/ : /^(\/)\*/) != nil
                let isKept = !isComment && !text.isEmpty
                #expect((served.first == text) == isKept, "\(name): \(line)")
                #expect(isComment || !text.contains("`"), "\(name): \(line)")
                if served.first == text { served.removeFirst() }
            }
            #expect(served.isEmpty, "\(name)")
        }
        for (text, left) in [
            ("a // b\n  // c\n  d\n\ne ", "a // b\nd\ne "),
            ("/* a */\n/** b\n * c\n d\n */\ne", "e"),
            ("a /* b\n", "a /* b"), ("", ""), ("//", ""),
        ] {
            #expect(PageText.served("x.js", Array(text.utf8)) == Array(left.utf8), "\(text)")
        }
        #expect(PageText.served("x.css", Array("//a".utf8)) == Array("//a".utf8))
        #expect(PageText.served("x.html", Array("// a".utf8)) == Array("// a".utf8))
    }

    @Test func everyPageIsWhole() throws {
        // Goal: a browser without JavaScript reads a page as one with. Method: each page as it is served,
        // its order, its stylesheets and its script; the parts alone are at no address.
        let served = PageFiles.served()
        for (name, _) in PageFiles.contents where name.hasSuffix(".html") {
            guard let file = served.first(where: { $0.name == name }) else {
                #expect(PageShell.parts.contains(name), "\(name)")
                continue
            }
            let page = String(decoding: file.bytes, as: UTF8.self)
            #expect(!page.contains(/[{}]/), "\(name): \(page)")
            #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"))
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
