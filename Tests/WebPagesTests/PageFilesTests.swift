import CZlib
import Foundation
import Testing

@testable import WebPages

@Suite struct PageFilesTests {
    private let served = PageFiles.served(for: PageClub(timeZone: "America/New_York"))

    @Test func embedsEveryFileOfTheFolder() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Services/WebPages/Files")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.contains(".") && !$0.contains("/.") }
        #expect(PageFiles.contents.map(\.name) == names.sorted())
        for (name, bytes) in PageFiles.contents {
            let file = try Data(contentsOf: folder.appendingPathComponent(name))
            #expect(bytes == Array(file), "\(name)")
        }
    }

    @Test func servesScriptsAndStylesAsTheyAre() {
        for (name, bytes) in PageFiles.contents where name.hasSuffix(".js") || name.hasSuffix(".css") {
            #expect(served.first { $0.name == name }?.bytes == bytes, "\(name)")
        }
    }

    @Test(arguments: ["en", "de"])
    func servesTheStringsOfALanguageAsAScript(language: String) throws {
        let file = try #require(served.first { $0.name == "strings/\(language).js" })
        #expect(file.contentType == "text/javascript; charset=utf-8")
        let text = String(decoding: file.bytes, as: UTF8.self)
        #expect(text.hasPrefix("window.strings = {\n  \"lang\": \"\(language)\",\n"))
        #expect(text.hasSuffix("\n}\n;\n"))
        #expect(!served.contains { $0.name == "strings/\(language).json" })
    }

    @Test func compressesEveryFile() throws {
        for file in served + [PageFiles.openAPIDocument] {
            let found = try Self.decompressed(file.compressed, size: file.bytes.count)
            #expect(found == file.bytes, "\(file.name)")
            // The icon has 200 bytes. PNG files are compressed themselves.
            #expect(file.compressed.count < file.bytes.count || file.name.hasSuffix(".png"), "\(file.name)")
        }
        #expect(Gzip.compressed([]).count == 20)
    }

    @Test func compressesTheSameContentToTheSameBytes() {
        let again = PageFiles.served(for: PageClub(timeZone: "America/New_York"))
        #expect(served.map(\.compressed) == again.map(\.compressed))
    }

    private struct Corrupt: Error {}

    private static func decompressed(_ input: [UInt8], size: Int) throws -> [UInt8] {
        var (stream, input) = (z_stream(), input)
        return try input.withUnsafeMutableBufferPointer { input in
            guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
            else { throw Corrupt() }
            defer { inflateEnd(&stream) }
            (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
            return try [UInt8](unsafeUninitializedCapacity: size) { output, count in
                (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(size))
                guard inflate(&stream, Z_FINISH) == Z_STREAM_END, stream.avail_in == 0
                else { throw Corrupt() }
                count = Int(stream.total_out)
            }
        }
    }

    /// Each page names the modules that its script imports, also indirectly, once. They are found here by a search in
    /// the whole text of each module.
    @Test func preloadsTheModulesOfEachPage() throws {
        let scripts = Dictionary(
            uniqueKeysWithValues: PageFiles.contents.map {
                ($0.name, String(decoding: $0.bytes, as: UTF8.self))
            })
        func imported(_ name: String) throws -> Set<String> {
            let text = try #require(scripts[name], "\(name) does not exist")
            let folder = URL(fileURLWithPath: "/" + name).deletingLastPathComponent()
            return Set(
                text.matches(of: /(?:^|\n)import\s[^;]*?'([^']+)';/).map {
                    String(folder.appendingPathComponent(String($0.1)).standardizedFileURL.path.dropFirst())
                })
        }
        for file in served where file.name.hasSuffix(".html") {
            let page = String(decoding: file.bytes, as: UTF8.self)
            let preloaded = page.matches(of: /<link rel="modulepreload" href="\/assets\/([^"]+)">/)
                .map { String($0.1) }
            let script = String(try #require(page.firstMatch(of: /type="module" src="\/assets\/([^"]+)"/)?.1))
            var needed: Set<String> = []
            var open = try imported(script)
            while let module = open.popFirst() {
                if needed.insert(module).inserted { open.formUnion(try imported(module)) }
            }
            #expect(Set(preloaded) == needed && preloaded.count == needed.count, "\(file.name)")
        }
        let wall = try #require(served.first { $0.name == "wall/wall.html" })
        #expect(String(decoding: wall.bytes, as: UTF8.self).contains("/assets/common/format.js"))
    }

    @Test func servesCompletePages() throws {
        for (name, _) in PageFiles.contents where name.hasSuffix(".html") {
            let forms = served.filter { $0.name == name }.compactMap(\.appearance)
            #expect(
                forms == (PageShell.partFiles.contains(name) ? [] : PageAppearance.allCases), "\(name)")
        }
        for file in served where file.name.hasSuffix(".html") {
            let (name, language) = (file.name, try #require(file.appearance).language.rawValue)
            let page = String(decoding: file.bytes, as: UTF8.self)
            #expect(!page.contains(/[{}]/), "\(name): \(page)")
            #expect(
                page.hasPrefix(
                    "<!DOCTYPE html>\n<html lang=\"\(language)\" data-zone=\"America/New_York\" data-club=\"\">\n"
                        + "<head>\n"))
            #expect(page.hasSuffix("</body>\n</html>\n"))
            for tag in ["<head>", "</head>", "<body", "<main>", "<noscript>", "<h1 id=\"title\""] {
                #expect(page.ranges(of: tag).count == 1, "\(name) \(tag)")
            }
            let assets = page.matches(of: /\/assets\/([a-z\/]+\.[a-z]+)"/).map { String($0.1) }
            #expect(assets.allSatisfy { asset in served.contains { $0.name == asset } }, "\(name)")
            #expect(assets[0...2] == ["common/icon.svg", "common/club.webmanifest", "common/base.css"])
            // Scripts with `defer` and modules run in the order of the page.
            let scripts = ["strings/\(language).js", name.replacing(".html", with: ".js")]
            let style = try #require(assets.firstIndex(of: "common/light.css"))
            #expect(assets[style + 1] == scripts[0] && assets.last == scripts[1])
            #expect(page.contains("<script defer src=\"/assets/\(scripts[0])\"></script>"))
        }
    }

    @Test func namesTheClubInTitlesHeadersAndManifest() throws {
        let logo = try #require(
            PageClub.Logo(Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), as: .svg))
        let club = PageClub(name: "RC <b>\"Nord\" {page}", logo: logo, timeZone: "Europe/Berlin")
        let named = PageFiles.served(for: club)
        func text(_ name: String) throws -> String {
            String(decoding: try #require(named.first { $0.name == name }).bytes, as: UTF8.self)
        }
        let page = try text("session/sessions.html")
        let name = "RC &lt;b&gt;&quot;Nord&quot; &#123;page&#125;"
        #expect(page.contains("<title>\(name)</title>") && page.contains("data-club=\"\(name)\""))
        #expect(
            page.contains(
                "<img id=\"logo\" src=\"/assets/club/logo.svg\" alt=\"\">\n<p id=\"club\">\(name)</p>"))
        #expect(named.first { $0.name == "club/logo.svg" }?.contentType == "image/svg+xml")
        let manifest = try JSONSerialization.jsonObject(with: Data(text("common/club.webmanifest").utf8))
        let members = try #require(manifest as? [String: Any])
        #expect(members["name"] as? String == "RC <b>\"Nord\" {page}")
        let icons = try #require(members["icons"] as? [[String: String]])
        for icon in icons {
            let file = try #require(served.first { "/assets/\($0.name)" == icon["src"] })
            #expect(file.contentType == icon["type"])
        }
        let plain = String(
            decoding: try #require(served.first { $0.name == "session/sessions.html" }).bytes, as: UTF8.self)
        #expect(
            plain.contains("<header>\n<p id=\"club\">rowgate</p>") && plain.contains("<title>rowgate</title>")
        )
    }

    @Test(arguments: [("svg", "<html>"), ("png", "<svg/>"), ("svg", "")])
    func refusesALogoOfAnotherFormat(ending: String, content: String) throws {
        let format = try #require(PageClub.Logo.Format(rawValue: ending))
        #expect(PageClub.Logo(Array(content.utf8), as: format) == nil)
    }
}
