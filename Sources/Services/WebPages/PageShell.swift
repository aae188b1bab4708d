import Bytes

/// Builds complete pages from the common frame `common/shell.html` and the body of each page.
///
/// The first line of a page's file names its stylesheets: `{styles coach/coach session/sessions}`. The script has
/// the path of the page. `{page-header}` and `{page-status}` are replaced by the files of that name in `common`,
/// `{language}` by the language of the page, `{light}` by the media of the light theme, `{zone}`, `{club}`, `{name}` and `{logo}` by the club's time zone, its
/// name, the name or `rowgate`, and its logo. `{modules}` becomes a list of the modules that the page's script
/// imports, so that the browser loads all of them at once and not level by level.
struct PageShell: Sendable {
    /// Files that are parts of pages and are not served themselves.
    static let partFiles: Set<String> = [
        "common/shell.html", "common/page-header.html", "common/page-status.html",
    ]

    private let shell: String
    private let parts: [(placeholder: String, text: String)]
    /// The modules that each module imports, by path: `wall/wall.js`.
    private let imports: [String: [String]]

    private let club: PageClub

    init(_ files: [(name: String, bytes: [UInt8])], for club: PageClub) {
        self.club = club
        func text(_ name: String) -> String {
            let bytes = files.first { $0.name == name }?.bytes ?? []
            return String(decoding: bytes, as: UTF8.self)
        }
        shell = text("common/shell.html").replacing("{zone}", with: club.timeZone)
        parts = ["page-header", "page-status"].map {
            (placeholder: "{\($0)}\n", text: text("common/\($0).html"))
        }
        imports = Dictionary(
            files.filter { $0.name.hasSuffix(".js") }.map { ($0.name, Self.imports(of: $0.name, $0.bytes)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the paths of the modules that a module imports by statements such as `import { a } from '../b/c.js';`.
    private static func imports(of name: String, _ script: [UInt8]) -> [String] {
        let folder = name.split(separator: "/").dropLast()
        return script.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // The last line of an import over several lines begins with the brace.
            guard line.starts(with: "import ".utf8) || line.starts(with: "} from ".utf8) else { return nil }
            let quoted = String(decoding: line, as: UTF8.self)
                .split(separator: "'", omittingEmptySubsequences: false)
            guard quoted.count == 3 else { return nil }
            var path = folder
            for step in quoted[1].split(separator: "/") where step != "." {
                if step == ".." { path.removeLast() } else { path.append(step) }
            }
            return path.joined(separator: "/")
        }
    }

    /// Returns the modules that the script of a page imports, directly or through others.
    private func modules(of script: String) -> [String] {
        var found = [script]
        var next = 0
        while next < found.count {
            for module in imports[found[next]] ?? [] where !found.contains(module) { found.append(module) }
            next += 1
        }
        return Array(found.dropFirst())
    }

    /// - Parameters:
    ///   - name: The path, `coach/coach.html`.
    ///   - content: The content of the file.
    func page(_ name: String, _ content: [UInt8], in appearance: PageAppearance) -> [UInt8] {
        let lines = String(decoding: content, as: UTF8.self)
            .split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, lines[0].hasPrefix("{styles "), lines[0].hasSuffix("}") else {
            preconditionFailure("\(name) must begin with its stylesheets")
        }
        let styles = lines[0].dropFirst("{styles ".count).dropLast().split(separator: " ").map {
            "<link rel=\"stylesheet\" href=\"/assets/\($0).css\">\n"
        }
        let body = parts.reduce(String(lines[1])) {
            $0.replacing($1.placeholder, with: $1.text)
        }
        let path = name.split(separator: ".")[0]
        let modules = modules(of: "\(path).js").map {
            "<link rel=\"modulepreload\" href=\"/assets/\($0)\">\n"
        }
        let page = shell.replacing("{styles}\n", with: styles.joined())
            .replacing("{modules}\n", with: modules.joined())
            .replacing("{page}", with: path)
            .replacing("{language}", with: appearance.language.rawValue)
            .replacing("{light}", with: appearance.theme.lightMedia)
            .replacing("{body}\n", with: body)
            .replacing(
                "{logo}\n",
                with: club.logo.map { "<img id=\"logo\" src=\"/assets/\($0.name)\" alt=\"\">\n" } ?? ""
            )
            .replacing("{club}", with: HTML.escaped(club.name ?? ""))
            .replacing("{name}", with: HTML.escaped(clubName))
        return Array(page.utf8)
    }

    /// The manifest with the club's name.
    func manifest(_ content: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.value(clubName)
        let name = String(decoding: json.bytes, as: UTF8.self)
        return Array(String(decoding: content, as: UTF8.self).replacing("{name}", with: name).utf8)
    }

    private var clubName: String { club.name ?? "rowgate" }
}

/// Texts in HTML.
public enum HTML {
    /// Escapes a text for content and quoted attributes, and braces, which are placeholders of `PageShell`.
    public static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("{", with: "&#123;").replacing("}", with: "&#125;")
    }
}
