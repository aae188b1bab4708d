import Bytes

/// A page as browsers get it, made of its own part and of what all pages have alike.
///
/// The first line of a page's file names its stylesheets, `{styles coach sessions}`, which stand between
/// those of all pages; its script has its name. `{top}` and `{told}` stand for the files of that name,
/// and `{zone}` for the club's time zone.
struct PageShell: Sendable {
    /// Files that are parts of pages, and none themselves.
    static let parts: Set<String> = ["shell.html", "top.html", "told.html"]

    private let shell: String
    private let pieces: [(mark: String, text: String)]

    /// - Parameter timeZone: the club's, an IANA name, which needs no escapes in an attribute.
    init(_ files: [(name: String, bytes: [UInt8])], timeZone: String) {
        func text(_ name: String) -> String {
            let bytes = files.first { $0.name == name }?.bytes ?? []
            return String(decoding: bytes, as: UTF8.self)
        }
        shell = text("shell.html").replacing("{zone}", with: timeZone)
        pieces = ["top", "told"].map { (mark: "{\($0)}\n", text: text($0 + ".html")) }
    }

    /// - Parameter name: of the file, `coach.html`.
    func page(_ name: String, _ own: [UInt8]) -> [UInt8] {
        let lines = String(decoding: own, as: UTF8.self)
            .split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, lines[0].hasPrefix("{styles "), lines[0].hasSuffix("}") else {
            preconditionFailure("\(name) begins with its stylesheets")
        }
        let styles = lines[0].dropFirst("{styles ".count).dropLast().split(separator: " ").map {
            "<link rel=\"stylesheet\" href=\"/assets/\($0).css\">\n"
        }
        let body = pieces.reduce(String(lines[1])) { $0.replacing($1.mark, with: $1.text) }
        let page = shell.replacing("{styles}\n", with: styles.joined())
            .replacing("{page}", with: name.split(separator: ".")[0])
            .replacing("{body}\n", with: body)
        return Array(page.utf8)
    }
}
