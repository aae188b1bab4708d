import HostRuntime
import WebServer

/// The files of the pages, which are part of the program: those of the folder `Pages`.
struct Pages: Sendable {
    /// A line for each file of the folder; a test holds them against each other.
    static let contents: [(name: String, bytes: [UInt8])] = [
        ("wall.html", PackageResources.wall_html)
    ]

    private let files: [String: WebFile]

    init(_ contents: [(name: String, bytes: [UInt8])] = Self.contents) {
        files = Dictionary(
            contents.map { name, bytes in
                let file = WebFile(
                    contentType: Self.contentType(of: name), bytes: bytes,
                    entityTag: "\"\(SHA256Digest.hexadecimal(of: [bytes]).prefix(16))\"")
                return (name, file)
            }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> WebFile? { files[name] }

    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "webmanifest", "json": "application/json"
        default: "application/octet-stream"
        }
    }
}
