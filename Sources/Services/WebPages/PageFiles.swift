import CPageFiles
import CZlib

/// The files of the pages, from the folder `Files`, embedded in the program by `CPageFiles`.
public enum PageFiles {
    /// A file in the form that browsers get.
    public struct Served: Sendable {
        /// The path below `Files`, `wall/wall.html`. Strings are served as scripts: `strings/en.js`.
        public let name: String
        /// The form of a page; nil for files that are the same for every reader.
        public let appearance: PageAppearance?
        /// The HTTP content type with its character set.
        public let contentType: String
        public let bytes: [UInt8]
        /// The bytes compressed with gzip.
        public let compressed: [UInt8]

        fileprivate init(name: String, appearance: PageAppearance? = nil, bytes: [UInt8]) {
            self.name = name
            self.appearance = appearance
            self.bytes = bytes
            contentType = PageFiles.contentType(of: name)
            compressed = Gzip.compressed(bytes)
        }
    }

    /// Returns all files to serve: complete pages in each language and theme, scripts, stylesheets, the strings of each language,
    /// the manifest with which a page becomes an app, and the club's logo.
    public static func served(for club: PageClub) -> [Served] {
        let shell = PageShell(contents, for: club)
        let files = contents.filter { !PageShell.partFiles.contains($0.name) }.flatMap { name, bytes in
            if name.hasSuffix(".webmanifest") { return [Served(name: name, bytes: shell.manifest(bytes))] }
            guard name.hasSuffix(".html") else {
                return [strings(name, bytes) ?? Served(name: name, bytes: bytes)]
            }
            return PageAppearance.allCases.map {
                Served(name: name, appearance: $0, bytes: shell.page(name, bytes, in: $0))
            }
        }
        return files + (club.logo.map { [Served(name: $0.name, bytes: $0.bytes)] } ?? [])
    }

    /// Returns the strings of a language as a script, because browsers cannot import JSON: `strings/en.json`
    /// as `window.strings = {...};` in `strings/en.js`. Each page loads the script of its language only.
    private static func strings(_ name: String, _ json: [UInt8]) -> Served? {
        let (folder, ending) = ("strings/", ".json")
        guard name.hasPrefix(folder), name.hasSuffix(ending) else { return nil }
        let language = name.dropFirst(folder.count).dropLast(ending.count)
        return Served(
            name: "strings/\(language).js",
            bytes: Array("window.strings = ".utf8) + json + Array(";\n".utf8))
    }

    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webmanifest": "application/manifest+json"
        case "json": "application/json"
        default: "application/octet-stream"
        }
    }

    /// The OpenAPI description of the HTTP interface, as JSON.
    public static let openAPIDocument = Served(
        name: "openapi.json", bytes: bytes(of: openapi_file().pointee))

    /// Every file of the folder `Files` with its path, ordered by path.
    static let contents: [(name: String, bytes: [UInt8])] = UnsafeBufferPointer(
        start: page_files(), count: Int(page_file_count())
    )
    .map { (String(cString: $0.name), bytes(of: $0)) }

    private static func bytes(of file: page_file) -> [UInt8] {
        Array(UnsafeBufferPointer(start: file.start, count: file.end - file.start))
    }
}

/// Compression of files that browsers load (RFC 1952).
enum Gzip {
    /// Returns the content with the best compression; equal content gives equal bytes.
    static func compressed(_ content: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        precondition(rg_gzip_start(&stream) == Z_OK, "out of memory while compressing a page")
        defer { deflateEnd(&stream) }
        return content.withUnsafeBufferPointer { input in
            // zlib does not change its input.
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = uInt(input.count)
            return [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, uLong(input.count)))) {
                output, count in
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflateBound is too small")
                count = Int(stream.total_out)
            }
        }
    }
}
