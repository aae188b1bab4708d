import HostRuntime
import WebServer

/// The files of the pages, which are part of the program: those of the folder `Pages`.
struct Pages: Sendable {
    /// A line for each file of the folder; a test holds them against each other.
    static let contents: [(name: String, bytes: [UInt8])] = [
        ("figures.js", PackageResources.figures_js),
        ("grid.js", PackageResources.grid_js),
        ("header.js", PackageResources.header_js),
        ("icon.svg", PackageResources.icon_svg),
        ("light.css", PackageResources.light_css),
        ("load.js", PackageResources.load_js),
        ("piece.js", PackageResources.piece_js),
        ("quantity.js", PackageResources.quantity_js),
        ("result.js", PackageResources.result_js),
        ("room.js", PackageResources.room_js),
        ("stream.js", PackageResources.stream_js),
        ("tile.js", PackageResources.tile_js),
        ("travel.js", PackageResources.travel_js),
        ("view.js", PackageResources.view_js),
        ("wall.css", PackageResources.wall_css),
        ("wall.html", PackageResources.wall_html),
        ("wall.js", PackageResources.wall_js),
        ("words.js", PackageResources.words_js),
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
