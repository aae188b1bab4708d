import Bytes

/// Builds complete pages from the common frame `common/shell.html` and the body of each page.
///
/// The first line of a page's file names its stylesheets: `{styles coach/coach session/sessions}`. The script has
/// the path of the page. `{page-header}` and `{page-status}` are replaced by the files of that name in `common`,
/// `{language}` by the language of the page, and `{zone}` by the club's time zone.
struct PageShell: Sendable {
    /// Files that are parts of pages and are not served themselves.
    static let partFiles: Set<String> = [
        "common/shell.html", "common/page-header.html", "common/page-status.html",
    ]

    private let shell: String
    private let parts: [(placeholder: String, text: String)]

    /// - Parameter timeZone: The club's time zone, an IANA name, which needs no escapes in an attribute.
    init(_ files: [(name: String, bytes: [UInt8])], timeZone: String) {
        func text(_ name: String) -> String {
            let bytes = files.first { $0.name == name }?.bytes ?? []
            return String(decoding: bytes, as: UTF8.self)
        }
        shell = text("common/shell.html").replacing("{zone}", with: timeZone)
        parts = ["page-header", "page-status"].map {
            (placeholder: "{\($0)}\n", text: text("common/\($0).html"))
        }
    }

    /// - Parameters:
    ///   - name: The path, `coach/coach.html`.
    ///   - content: The content of the file.
    func page(_ name: String, _ content: [UInt8], in language: PageLanguage) -> [UInt8] {
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
        let page = shell.replacing("{styles}\n", with: styles.joined())
            .replacing("{page}", with: name.split(separator: ".")[0])
            .replacing("{language}", with: language.rawValue)
            .replacing("{body}\n", with: body)
        return Array(page.utf8)
    }
}
