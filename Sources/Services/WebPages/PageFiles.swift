import CPageFiles

/// The files of the pages, from the folder `Files`, embedded in the program by `CPageFiles`.
public enum PageFiles {
    /// A file in the form that browsers get.
    public struct Served: Sendable {
        /// The file name, `wall.html`.
        public let name: String
        /// The HTTP content type with its character set.
        public let contentType: String
        public let bytes: [UInt8]
    }

    /// Returns all files to serve: complete pages, and scripts and stylesheets without comments.
    ///
    /// - Parameter timeZone: The club's time zone, an IANA name, in which pages show times and days.
    public static func served(timeZone: String) -> [Served] {
        served(of: contents, timeZone: timeZone)
    }

    static func served(
        of contents: [(name: String, bytes: [UInt8])], timeZone: String
    ) -> [Served] {
        let shell = PageShell(contents, timeZone: timeZone)
        return contents.filter { !PageShell.partFiles.contains($0.name) }.map { name, bytes in
            let content =
                name.hasSuffix(".html") ? shell.page(name, bytes) : PageText.minified(name, bytes)
            return Served(name: name, contentType: contentType(of: name), bytes: content)
        }
    }

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

    /// The OpenAPI description of the HTTP interface, as JSON.
    public static let openAPIDocument = bytes(of: openapi_file().pointee)

    /// Every file of the folder `Files`, ordered by name.
    static let contents: [(name: String, bytes: [UInt8])] = UnsafeBufferPointer(
        start: page_files(), count: Int(page_file_count())
    )
    .map { (String(cString: $0.name), bytes(of: $0)) }

    private static func bytes(of file: page_file) -> [UInt8] {
        Array(UnsafeBufferPointer(start: file.start, count: file.end - file.start))
    }
}
